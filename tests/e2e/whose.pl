#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# whose.pl TOTAL PID=NAME=SUM… < stack2line --json: whether each sample is of no process or of one of those,
# with the functions of its program (NAME_…), and whether the sums are right: TOTAL in all, and no process
# weighs more than SUM. The PID "ended" stands for any that has, whose functions nobody knows. Prints "right", "right in part" where samples are of no process, or what is wrong.
use strict;
use warnings;
use JSON::PP;

my $total = shift;
my (%name, %wanted, %sum, $all);
for (@ARGV) {
	my ($pid, $name, $sum) = split /=/;
	($name{$pid}, $wanted{$pid}) = ($name, $sum);
}
while (my $line = <STDIN>) {
	my $sample = decode_json($line);
	next unless $sample->{schema};
	my $pid = $sample->{pid};
	$all += $sample->{weight};
	my @functions = grep { /^(?:parent|child)_/ }
		map { $_->{function} // () } @{$sample->{user}{frames} // []};
	if (!defined $pid) {
		print("@functions without a process\n"), exit if @functions;
		next;
	}
	$pid = 'ended' if !$name{$pid} && $name{ended} && !-e "/proc/$pid";
	print("process $pid\n"), exit unless $name{$pid};
	print("$_ in process $pid\n"), exit for grep { !/^$name{$pid}_/ } @functions;
	print("no function of process $pid is known\n"), exit
		if $pid ne 'ended' && !@functions && ($sample->{user}{state} // '') eq 'present';
	$sum{$pid} += $sample->{weight};
}
$all //= 0;
print("all weigh $all\n"), exit if $all != $total;
for (keys %sum) {
	print("process $_ weighs $sum{$_}\n"), exit if $sum{$_} > $wanted{$_};
}
print grep({ ($sum{$_} // 0) < $wanted{$_} } keys %wanted) ? "right in part\n" : "right\n";
