#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# layouts_sum.pl < results of layouts_check.pl: prints what is wrong, a line each, a table, and "NAME NUMBER" lines of
# what layouts.test asserts.
use strict;
use warnings;
use JSON::PP;

my @results = map { decode_json($_) } <STDIN>;
die "no results\n" unless @results;
my %sum;

sub line_of {
	my ($class, $result, $message) = @_;
	print "# $class: layout $result->{number} ($result->{variant}, $result->{mode}, seed $result->{seed}): $message: $result->{layout}",
		"; S2L_LAYOUTS_SEED=$result->{seed} S2L_LAYOUTS_ONLY=$result->{number}\n";
}

for my $result (sort { $a->{number} <=> $b->{number} || "$a->{variant}$a->{mode}" cmp "$b->{variant}$b->{mode}" } @results) {
	my $row = $sum{"$result->{variant}, $result->{mode}"} //= {map { $_ => 0 } qw(layouts stack side pid tid sum comm name failed
		refused listed forms bad unnamed read named)};
	$row->{layouts}++;
	$row->{kinds}{$result->{kind}}++;
	$row->{refused_kinds}{$result->{kind}}++ if $result->{refused};
	if (defined $result->{named}) {
		$row->{read}++;
		$row->{named} += $result->{named};
	}
	if (my $wrong = $result->{wrong}) {
		$row->{$wrong->[0]}++;
		line_of("wrong $wrong->[0]", $result, $wrong->[1]);
	}
	if ($result->{refused}) {
		$row->{refused}++;
		$row->{listed}++ unless $result->{unlisted};
		line_of('unlisted', $result, $result->{said}) if $result->{unlisted};
	}
	if ($result->{forms}) {
		$row->{forms}++;
		line_of('forms differ', $result, $result->{forms});
	}
	if ($result->{bad}) {
		$row->{bad}++;
		line_of("reading $result->{bad}[0]", $result, $result->{bad}[1]);
	}
	if (defined $result->{named} && $result->{named} < 0.99) {
		$row->{unnamed}++;
		line_of('no process', $result, sprintf('%.0f %% of the weight of living processes is named', 100 * $result->{named}));
	}
}
print "# variant, mode   layouts | wrong: stack side pid tid sum comm name status | refused  lists truth | forms differ, bad readings, no process\n";
my (%all, @by_kind);
for my $key (sort keys %sum) {
	my $row = $sum{$key};
	printf "# %-14s %7d | %12d %4d %3d %3d %3d %4d %4d %6d | %4d %3.0f %% %5.0f %% | %12d %13d %11d\n", $key,
		@{$row}{qw(layouts stack side pid tid sum comm name failed refused)}, 100 * $row->{refused} / $row->{layouts},
		$row->{refused} ? 100 * $row->{listed} / $row->{refused} : 100, @{$row}{qw(forms bad unnamed)};
	my $kinds = $row->{kinds};
	push @by_kind, "# $key, refused: " . join(', ', map { ($row->{refused_kinds}{$_} // 0) . " of $kinds->{$_} $_" } sort keys %$kinds) .
		"\n";
	$all{wrong} += $row->{$_} for qw(stack side pid tid sum comm name failed);
	$all{unlisted} += $row->{refused} - $row->{listed};
	$all{bad} += $row->{bad};
	$all{forms} += $row->{forms};
	$all{"named $key"} = $row->{read} ? int(100 * $row->{named} / $row->{read}) : 100;
	# The bytes of the other kinds leave open what is meant: the table counts them.
	my @decided = $key =~ /^btf/ ? keys %$kinds : ('plain', 'no process', 'unaligned');
	for my $kind (@decided) {
		$all{"layouts $key"} += $kinds->{$kind} // 0;
		$all{"refused $key"} += $row->{refused_kinds}{$kind} // 0;
	}
}
print @by_kind;
print "$_ = $all{$_}\n" for sort keys %all;
