#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Breaks lines of the program, to see whether the tests notice: mutate.pl SEED COUNT OUT [FOLDER…]
# Run it in the root of the tree, which it does not change; CPPFLAGS=-I… names a build directory elsewhere. It
# writes OUT/1.diff … for patch -p1, each with one line broken in one way, and prints them, a line each. The same
# seed gives the same ones. It leaves out what the compiler warns about, since a build notices that.
use strict;
use warnings;

my ($seed, $count, $out, @folders) = @ARGV;
@folders = map { "src/$_" } qw(resolve object input/roles process debug/dwarf) unless @folders;
srand $seed;

# Returns TEXT with comments and literals masked, of the same length.
sub masked {
	my $text = shift;
	$text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|/\*.*?\*/|//[^\n]*)}{ (my $x = $1) =~ s/[^\n]/\@/g; $x }gse;
	return $text;
}

# Returns the arguments in the parenthesis at OFFSET, as [offset, length].
sub arguments {
	my ($line, $offset) = @_;
	my ($depth, $start, @found) = (0, $offset + 1);
	for my $i ($offset .. length($line) - 1) {
		my $c = substr $line, $i, 1;
		$depth++ if $c =~ /[(\[{]/;
		$depth-- if $c =~ /[)\]}]/;
		if (!$depth || $depth == 1 && $c eq ',') {
			push @found, [$start, $i - $start] if $i > $start;
			$start = $i + 1;
		}
		return @found unless $depth;
	}
	return;
}

# Returns all ways to break LINE, which follows the code BEFORE: [kind, offset, length, replacement].
sub breaks {
	my ($line, $before) = @_;
	my @found;
	my $add = sub { push @found, [$_[0], $-[1], $+[1] - $-[1], $_[1]] };
	my %flip = ('<' => ['<=', '>='], '<=' => ['<', '>'], '>' => ['>=', '<='], '>=' => ['>', '<'],
		'==' => ['!='], '!=' => ['==']);
	while ($line =~ / ([<>]=?|[=!]=) /g) {
		$add->('comparison', $_) for @{$flip{$1}};
	}
	$add->('logic', $1 eq '&&' ? '||' : '&&') while $line =~ /(&&|\|\|)/g;
	$add->('sign', $1 eq '+' ? '-' : '+') while $line =~ /(?<=[\w)\]] )([+-])(?= [\w(])/g;
	$add->('sign', $1 eq '+=' ? '-=' : '+=') while $line =~ / (\+=|-=) /g;
	$add->('boolean', $1 eq 'true' ? 'false' : 'true') while $line =~ /\b(true|false)\b/g;
	while ($line =~ /(?<![\w.])(0x[0-9a-f]+|\d+)(?=[uUlL]*\b)/g) {
		my ($text, $at) = ($1, $-[1]);
		my $n = $text =~ /x/ ? hex $text : $text;
		push @found, ['constant', $at, length $text, sprintf $text =~ /x/ ? '0x%x' : '%d', $_]
			for $n + 1, $n ? $n - 1 : ();
	}
	while ($line =~ /\b(if|while)( )(?=\()/g) {
		my ($at) = arguments($line, $+[0]);
		push @found, ['negation', $at->[0], $at->[1], '!(' . substr($line, $at->[0], $at->[1]) . ')']
			if $at && substr($line, $at->[0]) !~ /^[^()]*;/;
	}
	$add->('negation', "!($1)") if $line =~ /^\s*return (?!0;|NULL;|true;|false;)(.+);$/;
	while ($line =~ /\b(?!if|while|for|switch|return|sizeof)\w+\(/g) {
		for my $at (arguments($line, $+[0] - 1)) {
			my $text = substr $line, $at->[0], $at->[1];
			push @found, ['argument', $at->[0] + $-[1], $+[1] - $-[1], '0'] if $text =~ /^\s*(\S.*)$/ && $1 !~ /^(0|NULL)$/;
		}
	}
	my $open = ($line =~ tr/(//) - ($line =~ tr/)//);
	$add->('deletion', ';')
		if !$open && $before =~ /[;{}):]$|\belse$/ && $line !~ /^\t+[\w ]+ \*?\w+( = |;|\[)/ &&
		$line =~ /^\t+(\S.*;)$/;
	return @found;
}

my (@lines, %text, %mask);
chomp(my @files = sort `find @folders -name '*.[ch]'`);
for my $file (@files) {
	open my $in, '<', $file or die "$file: $!\n";
	my $all = do { local $/; <$in> };
	$text{$file} = [split /^/, $all];
	$mask{$file} = [split /^/, masked($all)];
	my $macro = 0;
	for my $i (0 .. $#{$mask{$file}}) {
		my $line = $mask{$file}[$i];
		push @lines, [$file, $i]
			if !$macro && $line =~ /^\t+[\w(*!&|?:+-]/ &&
			$line !~ /^\t+(?!return)\w[\w ]* [*\w]+(\[.*\])?( : \d+)?;/ && # a declaration
			$line !~ /assert|abort|prefetch|madvise|__builtin_expect/;
		$macro = $line =~ /^#.*\\$/ || $macro && $line =~ /\\$/;
	}
}

mkdir $out;
my ($done, %seen) = (0);
while ($done < $count && keys %seen < @lines) {
	my ($file, $i) = @{$lines[int rand @lines]};
	my ($random, $rest) = (rand, rand);
	next if $seen{"$file:$i"}++;
	chomp(my $line = $mask{$file}[$i]);
	my $before = $i;
	1 while $before > 0 && $mask{$file}[--$before] =~ /^[\s@]*$/;
	my %kinds;
	push @{$kinds{$_->[0]}}, $_ for breaks($line, $mask{$file}[$before] =~ s/[\s@]+$//r);
	my @kinds = sort keys %kinds or next;
	my $of = $kinds{$kinds[int $random * @kinds]};
	my ($kind, $offset, $length, $with) = @{$of->[int $rest * @$of]};
	my @broken = @{$text{$file}};
	substr($broken[$i], $offset, $length) = $with =~ /^!\(/ ? '!(' . substr($broken[$i], $offset, $length) . ')' : $with;
	my $copy = "$out/broken" . ($file =~ /(\.[ch])$/)[0];
	open my $to, '>', $copy or die "$copy: $!\n";
	print $to @broken and close $to or die "$copy: $!\n";
	my $flags = "-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Isrc " . ($ENV{CPPFLAGS} // '');
	next if system "gcc -fsyntax-only $flags -O1 -x c $copy >$out/log 2>&1";
	$done++;
	system "diff -u --label a/$file --label b/$file $file $copy >$out/$done.diff";
	print join("\t", $done, "$file:" . ($i + 1), $kind, map { s/^\s+|\s+$//gr } $text{$file}[$i], $broken[$i]), "\n";
}
