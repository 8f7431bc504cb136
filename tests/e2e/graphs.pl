#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# graphs.pl folded FILE: prints the stacks that the flame graph FILE (HTML) holds as folded lines;
#	of a difference with both weights, as stack2line diff --folded --weights=absolute prints them.
# graphs.pl totals FILE…: prints "TOTAL SELF FUNCTION" of folded lines, each stack counted once.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;

# The JSON between the tags.
sub data_of {
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!\n";
	my $page = do { local $/; <$in> };
	my @found = $page =~ m{<script type="application/json" id="data">\n(.*?)\n</script>}s;
	die "$file: no data\n" unless @found == 1;
	die "$file: markup in the data\n" if $found[0] =~ /[<>&]/;
	return decode_json($found[0]);
}

# The numbers in base64: seven bits a byte, low bits first.
sub numbers_of {
	my @numbers;
	my ($number, $shift) = (0, 0);
	for my $byte (unpack 'C*', decode_base64(shift)) {
		$number |= ($byte & 127) << $shift;
		$shift += 7;
		next if $byte > 127;
		push @numbers, $number;
		($number, $shift) = (0, 0);
	}
	return @numbers;
}

sub print_folded {
	my $data = data_of(shift);
	my $strings = $data->{strings};
	my @frames = numbers_of($data->{frames});
	my (%sums, %old, @path);
	my @numbers = numbers_of($data->{nodes});
	for (my $i = 0; $i < $data->{n_nodes}; $i++) {
		my ($up, $frame, $place, $self) = splice @numbers, 0, 4;
		my $old = $data->{diff} ? shift @numbers : 0;
		splice @numbers, 0, 2 * shift @numbers if $place & 1;
		$#path -= $up;
		push @path, $strings->[$frames[8 * $frame]];
		next unless $self || $old;
		$sums{join ';', @path[1 .. $#path]} += $self;
		$old{join ';', @path[1 .. $#path]} += $old;
	}
	die scalar @numbers, " numbers are left\n" if @numbers;
	binmode STDOUT, ':utf8';
	print $_, $data->{diff} ? " $old{$_}" : '', " $sums{$_}\n" for keys %sums;
}

sub print_totals {
	my (%total, %self);
	while (<>) {
		my ($stack, $weight) = /^(.*) (\d+)$/ or die;
		my @frames = split /;/, $stack;
		$total{$_} += $weight for keys %{{map { $_ => 1 } @frames}};
		$self{$frames[-1]} += $weight;
	}
	print "$total{$_} ", $self{$_} // 0, " $_\n" for sort keys %total;
}

my $what = shift // '';
if ($what eq 'folded') { print_folded(shift) }
elsif ($what eq 'totals') { print_totals() }
else { die "usage: $0 folded|totals FILE\n" }
