#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# texts.pl [SEED N]: prints what people read, as KIND<TAB>FILE:LINE<TAB>TEXT: each comment and message of src and cli, each
# sentence of the man pages and of the pages in the top folder. With SEED and N, N of each kind by chance.
use strict;
use warnings;

my ($seed, $number) = @ARGV;
my %texts;

sub add {
	my ($kind, $place, $text) = @_;
	$text =~ s/\s+/ /g;
	$text =~ s/^ | $//g;
	push @{$texts{$kind}}, "$kind\t$place\t$text" if $text =~ /[a-z].* /;
}

sub slurp {
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/;
	return <$in>;
}

# Comments, and strings with a blank.
for my $file (split /\n/, `find src cli -name '*.[ch]' | sort`) {
	my $text = slurp($file);
	while ($text =~ m{(?<comment>/\*.*?\*/|//[^\n]*)|(?<message>"(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*)|'(?:\\.|[^'\\])*'}gs) {
		my ($comment, $message) = @+{qw(comment message)};
		my $place = "$file:" . (1 + (substr($text, 0, $-[0]) =~ tr/\n//));
		if (defined $comment) {
			$comment =~ s{\*+/\z}{};
			$comment =~ s{^/\*+|^//|^\s*\*}{}gm;
			add('comment', $place, $comment) if $comment !~ /SPDX|^ ?----/;
		} elsif (defined $message) {
			$message =~ s/"\s*"|^"|"$//g;
			add('message', $place, $message);
		}
	}
}

# Sentences: paragraphs without requests and examples, split after full stops and colons.
for my $file (split /\n/, `ls man/* *.md NEWS`) {
	my ($line, $example, $paragraph, $start) = (0, 0, '', 0);
	my $end = sub {
		add('page', "$file:$start", $_) for split /(?<=[.:?!])\s+(?=[A-Z`*])/, $paragraph;
		$paragraph = '';
	};
	for (split /\n/, slurp($file), -1) {
		$line++;
		$example = 1 if /^\.(Bd|nf)/ or !$example && /^```/ and next;
		$example = 0 if /^\.(Ed|fi)/ or /^```/;
		next if $example or /^ {4}\S|^\||^\.\\"/;
		if (/^\s*$|^#|^\.(Pp|PP|Sh|SH|Ss|SS|TP|It|IP|Bl|El|Dd|Dt|Os|Nm|Nd)\b|^\s*[-*] /) {
			$end->();
			s/^\s*[-*] // or next;
		}
		s/^\.[A-Z][a-zA-Z]\s*//;
		$start = $line if $paragraph eq '';
		$paragraph .= "$_ ";
	}
	$end->();
}

srand($seed) if defined $seed;
for my $kind (sort keys %texts) {
	my @all = @{$texts{$kind}};
	if (defined $number) {
		for my $i (0 .. $number - 1) {
			my $other = $i + int rand(@all - $i);
			@all[$i, $other] = @all[$other, $i];
		}
		$#all = $number - 1;
	}
	print "$_\n" for @all;
}
