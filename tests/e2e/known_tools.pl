#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The stacks of libbpf-tools, a stack a line, sorted: "SUM DEPTH FUNCTIONS", where DEPTH is that of the
# kernel's part and FUNCTIONS are those of the watched program (tests/e2e/sleeper.c, tests/modern/events.c),
# leaf first. SUM is what the tool counts: microseconds, samples, waits, bytes.
#
#	known_tools.pl offcputime|profile|wakeuptime|futexctn|memleak < what the tool printed
#	known_tools.pl json UNIT < stack2line --json; UNIT of its weights one of the tool's
use strict;
use warnings;
use JSON::PP;

my ($what, $unit) = @ARGV;
my %sums;
my $own = qr/^(?:naps?|take_lock|take_either|hold_lock|keep|keep_many|spin|spin_more|main)$/;

sub add {
	my ($sum, $depth, @functions) = @_;
	$sums{join(' ', $depth, grep { /$own/ || / -> / } @functions)} += $sum;
}

# How many of the frames are the kernel's, which come first: its last one is where it was entered.
sub kernel_depth {
	my @entries = grep { $_[$_] =~ /^(?:entry_|asm_)/ } 0 .. $#_;
	return @entries ? $entries[-1] + 1 : 0;
}

# Frames by name, kernel and user alike; "- COMM (TID)"; the sum. The C library's part lies between the two.
sub read_frames {
	my @frames;
	while (<STDIN>) {
		if (/^\s+-\s/) {
			next;
		} elsif (/^\s+(\d+)$/) {
			add($1, kernel_depth(@frames), @frames);
			@frames = ();
		} elsif (/^\s+(\S+)$/) {
			push @frames, $1;
		}
	}
}

# Who was woken, each frame with its address in the kernel, who woke it, the time. For a stack that is missing
# in the map the tool prints the one before.
sub read_wakeuptime {
	my ($depth, $target, $waker, $missed) = (0, '', '');
	while (<STDIN>) {
		if (/^\s+[0-9a-f]{16} /) {
			$depth++ unless $missed;
		} elsif (/^missed kernel stack/) {
			$missed = 1;
		} elsif (/^\s+target:\s+(.*)$/) {
			$target = $1;
		} elsif (/^\s+waker:\s+(.*)$/) {
			$waker = $1;
		} elsif (/^\s+(\d+)$/) {
			add($1, $depth, "$waker -> $target");
			($depth, $missed) = 0;
		}
	}
}

# "… contended N times, …", the frames between two lines "-", a histogram.
sub read_futexctn {
	my ($sum, $dashes, @frames) = (0, 0);
	while (<STDIN>) {
		if (/ contended (\d+) times, /) {
			($sum, $dashes, @frames) = ($1, 0);
		} elsif (/^\s+-$/) {
			add($sum, 0, @frames) if ++$dashes == 2;
		} elsif (/^\s+(\S+)$/) {
			push @frames, $1;
		}
	}
}

# All stacks again and again: "N bytes in N allocations from stack", then the frames. The last time counts.
sub read_memleak {
	my ($sum, @frames);
	my $end = sub {
		add($sum, 0, @frames) if defined $sum;
		($sum, @frames) = ();
	};
	while (<STDIN>) {
		if (/^\[\d+:\d+:\d+\] Top /) {
			%sums = ();
			($sum, @frames) = ();
		} elsif (/^(\d+) bytes in \d+ allocations from stack/) {
			$end->();
			$sum = $1;
		} elsif (/^\s+\d+ \[<[0-9a-f]+>\] (\w+)/) {
			push @frames, $1;
		}
	}
	$end->();
}

sub read_json {
	while (my $line = <STDIN>) {
		my $sample = decode_json($line);
		next unless $sample->{schema};
		my @user = grep { !$_->{inlined} } @{$sample->{user}{frames} // []};
		# A stack whose slot another one has: the tools print no frame.
		my @kernel = grep { $_->{kind} ne 'lost' } @{$sample->{kernel}{frames} // []};
		add(int($sample->{weight} / $unit), scalar @kernel, grep({ / -> / } $sample->{comm} // ()),
			map { $_->{function} // () } @user);
	}
}

my %read = (
	offcputime => \&read_frames,
	profile => \&read_frames,
	wakeuptime => \&read_wakeuptime,
	futexctn => \&read_futexctn,
	memleak => \&read_memleak,
	json => \&read_json,
);
$read{$what}->();
print "$sums{$_} $_\n" for sort keys %sums;
