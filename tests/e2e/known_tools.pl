#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The stacks of libbpf-tools, a stack a line, sorted: "SUM DEPTH FUNCTIONS", where DEPTH is that of the
# kernel's part and FUNCTIONS are those of tests/e2e/sleeper.c, leaf first. SUM is in microseconds.
#
#	known_tools.pl offcputime|wakeuptime < what the tool printed
#	known_tools.pl json UNIT < stack2line --json; UNIT of its weights a microsecond
use strict;
use warnings;
use JSON::PP;

my ($what, $unit) = @ARGV;
my %sums;
my $own = qr/^(?:naps?|main)$/;

sub add {
	my ($sum, $depth, @functions) = @_;
	$sums{join(' ', $depth, grep { /$own/ } @functions)} += $sum;
}

# Frames by name, kernel and user alike; "- COMM (TID)"; the sum. The C library's part lies between the two.
sub read_offcputime {
	my @frames;
	while (<STDIN>) {
		if (/^\s+-\s/) {
			next;
		} elsif (/^\s+(\d+)$/) {
			my ($i) = grep { $frames[$_] =~ /^entry_/ } 0 .. $#frames;
			add($1, $i + 1, @frames);
			@frames = ();
		} elsif (/^\s+(\S+)$/) {
			push @frames, $1;
		}
	}
}

# Each frame with its address in the kernel.
sub read_wakeuptime {
	my $depth = 0;
	while (<STDIN>) {
		if (/^\s+[0-9a-f]{16} /) {
			$depth++;
		} elsif (/^\s+(\d+)$/) {
			add($1, $depth);
			$depth = 0;
		}
	}
}

sub read_json {
	while (my $line = <STDIN>) {
		my $sample = decode_json($line);
		next unless $sample->{schema};
		my @user = grep { !$_->{inlined} } @{$sample->{user}{frames}};
		add(int($sample->{weight} / $unit), scalar @{$sample->{kernel}{frames}},
			map { $_->{function} // () } @user);
	}
}

$what eq 'json' ? read_json() : $what eq 'offcputime' ? read_offcputime() : read_wakeuptime();
print "$sums{$_} $_\n" for sort keys %sums;
