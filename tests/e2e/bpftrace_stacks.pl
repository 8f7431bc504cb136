#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks and sums of one map, a stack a line: "SUM U USER-FRAMES K KERNEL-FRAMES", leaf first, sorted.
#
#	bpftrace_stacks.pl printed MAP < what bpftrace 0.27 printed
#	bpftrace_stacks.pl json < stack2line --json
#
# A frame is an address in hex or BUILDID+OFFSET. A histogram sums up to its samples, a map whose
# values are stacks counts each once, stats its count; of other values (avg) the sum is "-", as it is
# with SUMS=no in the environment. FRAMES=depth: only how many there are, for stacks that
# bpftrace prints as names; they are the user's, or with NAMES=kernel the kernel's.
use strict;
use warnings;
use JSON::PP;

my ($what, $map) = @ARGV;
my %sums;

# Zeros at the root are no frames.
sub frames {
	my @frames = @_;
	pop @frames while @frames && $frames[-1] eq '0';
	return ($ENV{FRAMES} // '') eq 'depth' ? scalar @frames : join(',', @frames);
}

sub add {
	my ($sum, $user, $kernel) = @_;
	my $stack = 'U ' . frames(@$user) . ' K ' . frames(@$kernel);
	if ($sum eq '-' || ($ENV{SUMS} // '') eq 'no') {
		$sums{$stack} = '-';
	} else {
		$sums{$stack} += $sum;
	}
}

sub json_frames {
	return map {
		$_->{address} ? $_->{address} =~ s/^0x//r
			: "$_->{build_id}+" . $_->{file_offset} =~ s/^0x//r
	} grep { !$_->{inlined} } @{$_[0]{frames}};
}

sub read_json {
	while (my $line = <STDIN>) {
		my $sample = decode_json($line);
		next unless $sample->{schema};
		add($sample->{weight}, [json_frames($sample->{user})], [json_frames($sample->{kernel})]);
	}
}

# A frame as it is printed raw, by perf, with build IDs, or with a name.
sub printed_frame {
	my ($line) = @_;
	return $1 if $line =~ /^([0-9a-f]{1,16})$/ || $line =~ /^\t([0-9a-f]{1,16}) /;
	return "$1+" . sprintf('%x', hex $2) if $line =~ /^([0-9a-f]{40}) 0x([0-9a-f]+)$/;
	return $1 if $line =~ /^ {8}(\S.*)$/;
	return;
}

sub printed_sum {
	my ($text) = @_;
	my @buckets = $text =~ /^[\[(][^\n]*?[\])]\s+(\d+) \|/mg;
	return eval { my $n = 0; $n += $_ for @buckets; $n } if @buckets;
	return $1 if $text =~ /[\]]: (-?\d+)$/m || $text =~ /[\]]: (?:\{ \.count =|count) (\d+), \.?average/m;
	return 1 if $text =~ /^\@\w+(\[[^\n]*\])?: *\n/;
	return '-';
}

sub is_kernel {
	my ($frame) = @_;
	return ($ENV{NAMES} // '') eq 'kernel' || $frame =~ /^ffff[0-9a-f]{12}$/;
}

sub add_printed {
	my ($text) = @_;
	my (@user, @kernel);
	for my $line (split /\n/, $text) {
		$line =~ s/^\@\w+(\[[^\[\]]*\])?: (?=[0-9a-f]{6})//;
		my $frame = printed_frame($line) // next;
		push @{is_kernel($frame) ? \@kernel : \@user}, $frame;
	}
	add(printed_sum($text), \@user, \@kernel);
}

sub read_printed {
	my $all = do { local $/; <STDIN> };
	for my $text (split /^(?=\@\w+(?:\[|:))/m, $all) {
		add_printed($text) if $text =~ /^\@\Q$map\E(?:\[|:)/;
	}
}

$what eq 'json' ? read_json() : read_printed();
print "$sums{$_} $_\n" for sort keys %sums;
