#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# tokens.pl FOLDER…: prints the C tokens of each folder below them that has sources (.c .h .js .y .l; what is in
# its own folders is theirs), without comments and blanks, a line each: "35924 cli".
use strict;
use warnings;

my $token = qr{"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'	# strings and characters
	|[A-Za-z_]\w*|\d[\w.]*				# words and numbers
	|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.
	|\S}xs;
my %tokens;

open my $files, '-|', 'find', @ARGV, '-type', 'f', '-regex', '.*\.\(c\|h\|js\|y\|l\)$' or die "find: $!\n";
while (my $file = <$files>) {
	chomp $file;
	open my $in, '<', $file or die "$file: $!\n";
	my $text = do { local $/; <$in> };
	$text =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|//[^\n]*|/\*.*?\*/}{defined $1 ? $1 : ' '}gse;
	$tokens{$file =~ s{/[^/]*$}{}r} += () = $text =~ /$token/g;
}
print "$tokens{$_} $_\n" for sort keys %tokens;
