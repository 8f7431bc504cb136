#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# parent_child.pl: answers questions, a line each, "FILE TOTAL PID=NAME=SUM…", of what stack2line --json printed: whether
# each sample is of no process or of one of those, with the functions of its program (NAME_…), and whether the sums
# are right: TOTAL in all, and no process weighs more than SUM. The PID "ended" stands for any that has, whose
# functions nobody knows. An answer is a line: "right", "right in part" where samples are of no process, or what is
# wrong.
use strict;
use warnings;
use JSON::PP;

sub judge {
	my ($file, $total, @processes) = @_;
	my (%name, %wanted, %sum);
	my $all = 0;
	for (@processes) {
		my ($pid, $name, $sum) = split /=/;
		($name{$pid}, $wanted{$pid}) = ($name, $sum);
	}
	open(my $lines, '<', $file) or return "$file: $!";
	while (my $line = <$lines>) {
		my $sample = decode_json($line);
		next unless $sample->{schema};
		my $pid = $sample->{pid};
		$all += $sample->{weight};
		my @functions = grep { /^(?:parent|child)_/ }
			map { $_->{function} // () } @{$sample->{user}{frames} // []};
		if (!defined $pid) {
			return "@functions without a process" if @functions;
			next;
		}
		$pid = 'ended' if !$name{$pid} && $name{ended} && !-e "/proc/$pid";
		return "process $pid" unless $name{$pid};
		return "$_ in process $pid" for grep { !/^$name{$pid}_/ } @functions;
		return "no function of process $pid is known"
			if $pid ne 'ended' && !@functions && ($sample->{user}{state} // '') eq 'present';
		$sum{$pid} += $sample->{weight};
	}
	return "all weigh $all" if $all != $total;
	for (keys %sum) {
		return "process $_ weighs $sum{$_}" if $sum{$_} > $wanted{$_};
	}
	return grep({ ($sum{$_} // 0) < $wanted{$_} } keys %wanted) ? 'right in part' : 'right';
}

$| = 1;
while (my $question = <STDIN>) {
	print judge(split ' ', $question), "\n";
}
