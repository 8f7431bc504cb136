#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# pages.pl PAGE: a bash script of the examples of a manual page. A block whose first line is a comment with a name of a
# file is that file; in others, a line with "$ " is a command, which goes on after "\", "|" and an open quote, and the
# lines after it are its output. The script calls `shows COMMAND OUTPUT` for each.
#
# pages.pl --match OUTPUT < GOT: whether it is that output, but for numbers, plurals and blanks; "..." is any lines.
use strict;
use warnings;

# Numbers, hexadecimal too, and tags of BPF programs differ in each run.
sub even {
	my ($line) = @_;
	$line =~ s/\b0x[0-9a-f]+|\bbpf_prog_[0-9a-f]{16}|[0-9]+(?:\.[0-9]+)?/N/g;
	$line =~ s/\bentries\b/entry/g;
	$line =~ s/\b(stack|sample)s\b/$1/g;
	$line =~ s/[ \t]+/ /g;
	return $line =~ s/ $//r;
}

if ($ARGV[0] eq '--match') {
	my $wanted = join '', map { $_ eq '...' ? '(?:.*\n)*' : quotemeta(even($_)) . '\n' } split /\n/, $ARGV[1];
	my $got = join '', map { chomp; even($_) . "\n" } <STDIN>;
	exit($got =~ /^$wanted$/ ? 0 : 1);
}

sub quoted { return "'" . ($_[0] =~ s/'/'\\''/gr) . "'" }

# Is there a quote that is still open in this beginning of a command?
sub goes_on {
	my ($text) = @_;
	return 1 if $text =~ /(?:\\|\||\|\||&&)$/;
	$text =~ s/\\.//g;
	$text =~ s/"[^"]*"|'[^']*'//g;
	return $text =~ /["']/;
}

my ($in, @block, @blocks);
open(my $page, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
while (<$page>) {
	chomp;
	if (/^\.Bd -literal/) { $in = 1; @block = (); next }
	if (/^\.Ed/) { push @blocks, [@block] if $in; $in = 0; next }
	push @block, s/\\e/\\/gr =~ s/\\&//gr =~ s/\\-/-/gr if $in;
}
for my $block (@blocks) {
	if ($block->[0] =~ m{^(?:/\*|#) ([\w.-]+)(?: \*/)?$}) {
		print "cat >", quoted($1), " <<'END OF FILE'\n", join("\n", @$block), "\nEND OF FILE\n";
		next;
	}
	while (@$block) {
		my $command = shift(@$block) =~ s/^\$ //r // '';
		$command .= "\n" . shift @$block while goes_on($command) && @$block;
		my @output;
		push @output, shift @$block while @$block && $block->[0] !~ /^\$ /;
		print 'shows ', quoted($command), ' ', quoted(join "\n", @output), "\n";
	}
}
