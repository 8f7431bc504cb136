#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# totals.pl FILE: prints "TOTAL SELF FUNCTION" of the boxes of a flame graph, an SVG of this program or of
# flamegraph.pl. A box is a callee of the one below its middle; recursion counts once.
use strict;
use warnings;

my $svg = do { local $/; <> };
my (@boxes, %total, %self);
while ($svg =~ m{<title>([^<]*)</title><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"}g) {
	my ($title, $x, $y, $width) = ($1, $2, $3, $4);
	my ($name, $weight) = $title =~ /^(.*) \(([\d,]+) \w+, [\d.]+%\)$/ ? ($1, $2)
		: $title =~ /^([^\n]*)\n.*\nweight (\d+)/s ? ($1, $2) : next;
	push @boxes, {name => $name, weight => $weight =~ tr/,//dr, x => $x, middle => $x + $width / 2, y => $y};
}
my %rows;
push @{$rows{$_->{y}}}, $_ for @boxes;
my @rows = sort { $b <=> $a } keys %rows;
for my $i (1 .. $#rows) {
	my @below = sort { $b->{x} <=> $a->{x} } @{$rows{$rows[$i - 1]}};
	for my $box (@{$rows{$rows[$i]}}) {
		my ($caller) = grep { $_->{x} <= $box->{middle} } @below;
		$box->{caller} = $caller;
		$caller->{below} += $box->{weight};
	}
}
for my $box (grep { $_->{caller} } @boxes) {
	$self{$box->{name}} += $box->{weight} - ($box->{below} // 0);
	my $caller = $box->{caller};
	$caller = $caller->{caller} while $caller && $caller->{name} ne $box->{name};
	$total{$box->{name}} += $box->{weight} unless $caller;
}
print "$total{$_} $self{$_} $_\n" for sort keys %total;
