#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A bad HTTP server on 127.0.0.1: http_server.pl PORTFILE LOG MODE [FILE]
# The port goes to PORTFILE, the first line of each request to LOG. MODE:
#   hang     never answers; LOG: closed        cut      sends half of FILE and closes
#   trickle  sends FILE, 256 bytes each 0.1 s    file     sends FILE whatever is asked for
#   close    closes without a word            status   answers 500
#   drip     the same each second
#   redirect sends to the server FILE (a URL), same path
use strict;
use warnings;
use IO::Socket::INET;

my ($port_file, $log_file, $mode, $file) = @ARGV;
open(STDOUT, ">", "/dev/null");
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64, ReuseAddr => 1)
	or die "listen: $!";
open(my $log, '>>', $log_file) or die "$log_file: $!";
$log->autoflush(1);
my $content = '';
if (defined $file && $mode ne 'redirect') {
	open(my $in, '<:raw', $file) or die "$file: $!";
	local $/;
	$content = <$in>;
}
open(my $port, '>', "$port_file.new") or die "$port_file: $!";
print $port $server->sockport, "\n";
close($port);
rename("$port_file.new", $port_file);
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
while (1) {
	my $client = $server->accept or next;
	my $pid = fork();
	if ($pid) {
		close($client);
		next;
	}
	serve($client);
	exit 0;
}

sub serve {
	my ($client) = @_;
	my $request = <$client>;
	print $log $request if defined $request;
	while (defined(my $line = <$client>)) {
		last if $line =~ /^\r?\n$/;
	}
	if ($mode eq 'hang') {
		1 while sysread($client, my $byte, 1);
		print $log "closed\n";
		return;
	}
	return if $mode eq 'close';
	if ($mode eq 'redirect') {
		my ($path) = defined $request ? $request =~ / (\S+) / : ('/');
		print $client "HTTP/1.1 302 Found\r\nLocation: $file$path\r\nContent-Length: 0\r\n\r\n";
		return;
	}
	if ($mode eq 'status') {
		print $client "HTTP/1.1 500 Sorry\r\nContent-Length: 0\r\n\r\n";
		return;
	}
	my $length = length $content;
	syswrite($client, "HTTP/1.1 200 OK\r\nContent-Length: $length\r\n\r\n");
	if ($mode eq 'trickle' || $mode eq 'drip') {
		for (my $at = 0; $at < $length; $at += 256) {
			syswrite($client, substr($content, $at, 256)) or return;
			select(undef, undef, undef, $mode eq 'drip' ? 1 : 0.1);
		}
	} else {
		syswrite($client, substr($content, 0, $mode eq 'cut' ? $length / 2 : $length));
	}
}
