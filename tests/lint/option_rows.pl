#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# option_rows.pl FILE…: the rows of their option tables (cli/option.h) but for headings, a line each.
use strict;
use warnings;

undef $/;
while (my $text = <>) {
	while ($text =~ /^(?:static )?const struct option_row \w+\[\] = \{\n(.*?)^\};$/msg) {
		for my $row (split /(?<=\},)\n(?=\t[{\/])/, $1) {
			my $line = join ' ', split ' ', $row;
			print "$line\n" if $line !~ /\{\.doc = |^\{\},$/;
		}
	}
}
