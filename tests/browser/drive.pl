#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# drive.pl CHROMIUM PROFILE-DIR: drives a browser without a window, over pipes (--remote-debugging-pipe): a
# command a line on standard input, an answer a line on standard output.
#	size WIDTH HEIGHT | scheme light|dark | open URL | eval EXPRESSION (prints its value as JSON)
#	cpu EXPRESSION (prints the milliseconds of CPU time that the page took for it)
#	key NAME (as KeyboardEvent.key) | type TEXT | move X Y | click X Y [shift] | drag X Y X2 Y2
#	wheel X Y BY [ctrl] | media print|screen | script FILE (runs it) | shot FILE
#	loaded (prints what was loaded, one line: URLs by a blank)
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use POSIX ();

my ($chromium, $profile) = @ARGV;
pipe my $their_in, my $to or die;
pipe my $from, my $their_out or die;
my $pid = fork // die;
if (!$pid) {
	# Copies above first: 3 and 4 may be what is to be put there.
	my ($in, $out) = map { POSIX::dup2(fileno $_->[0], $_->[1]) && $_->[1] } [$their_in, 20], [$their_out, 21];
	POSIX::dup2($in, 3);
	POSIX::dup2($out, 4);
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', '/dev/null';
	open STDIN, '<', '/dev/null';
	exec $chromium, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
		"--user-data-dir=$profile", '--remote-debugging-pipe', 'about:blank' or POSIX::_exit(127);
}
close $their_in;
close $their_out;
$SIG{ALRM} = sub { kill 'TERM', $pid; die "drive.pl: no answer in 60 s\n" };
$to->autoflush;
STDOUT->autoflush;

my ($last, $session, @loaded, $done) = (0);

# The next message, of which events are noted.
sub message {
	local $/ = "\0";
	alarm 60;
	my $text = <$from> // die "drive.pl: the browser has ended\n";
	alarm 0;
	chop $text;
	my $message = decode_json($text);
	my $method = $message->{method} // '';
	push @loaded, $message->{params}{request}{url} if $method eq 'Network.requestWillBeSent';
	$done = 1 if $method eq 'Page.loadEventFired';
	return $message;
}

sub call {
	my ($method, %params) = @_;
	my $id = ++$last;
	my %message = (id => $id, method => $method, params => \%params);
	$message{sessionId} = $session if $session;
	print $to encode_json(\%message), "\0";
	while (1) {
		my $answer = message();
		next if ($answer->{id} // 0) != $id;
		die "drive.pl: $method: $answer->{error}{message}\n" if $answer->{error};
		return $answer->{result};
	}
}

sub evaluate {
	my $result = call('Runtime.evaluate', expression => shift, returnByValue => JSON::PP::true,
		awaitPromise => JSON::PP::true);
	die 'drive.pl: ' . ($result->{exceptionDetails}{exception}{description} // 'exception') . "\n"
		if $result->{exceptionDetails};
	return $result->{result}{value};
}

# CPU time of the page so far, in milliseconds
sub cpu {
	my ($busy) = grep { $_->{name} eq 'TaskDuration' } @{call('Performance.getMetrics')->{metrics}};
	return 1000 * $busy->{value};
}

sub mouse {
	my ($type, $x, $y, %more) = @_;
	call('Input.dispatchMouseEvent', type => $type, x => 0 + $x, y => 0 + $y, %more);
}

my %commands = (
	size => sub {
		call('Emulation.setDeviceMetricsOverride', width => 0 + $_[0], height => 0 + $_[1],
			deviceScaleFactor => 1, mobile => JSON::PP::false);
	},
	scheme => sub {
		call('Emulation.setEmulatedMedia', features => [{name => 'prefers-color-scheme', value => $_[0]}]);
	},
	open => sub {
		# Another part of the same page would load nothing.
		for my $url ('about:blank', $_[0]) {
			$done = 0;
			@loaded = ();
			call('Page.navigate', url => $url);
			message() until $done;
		}
	},
	eval => sub {
		print JSON::PP->new->utf8->canonical->allow_nonref->encode(evaluate("@_")), "\n";
	},
	cpu => sub {
		my $before = cpu();
		evaluate("@_");
		printf "%.2f\n", cpu() - $before;
	},
	key => sub {
		my ($key) = @_;
		my %codes = (Enter => 13, Escape => 27, Backspace => 8, ArrowLeft => 37, ArrowUp => 38,
			ArrowRight => 39, ArrowDown => 40);
		my %event = (key => $key, windowsVirtualKeyCode => $codes{$key} // ord uc $key);
		$event{text} = $key if length $key == 1;
		call('Input.dispatchKeyEvent', type => 'keyDown', %event);
		call('Input.dispatchKeyEvent', type => 'keyUp', %event);
	},
	type => sub { call('Input.insertText', text => "@_") },
	move => sub { mouse('mouseMoved', @_) },
	click => sub {
		my ($x, $y, $shift) = @_;
		my %how = (button => 'left', clickCount => 1, modifiers => $shift ? 8 : 0);
		mouse('mousePressed', $x, $y, %how);
		mouse('mouseReleased', $x, $y, %how);
	},
	drag => sub {
		my ($x, $y, $to_x, $to_y) = @_;
		mouse('mousePressed', $x, $y, button => 'left', buttons => 1, clickCount => 1);
		mouse('mouseMoved', $x + ($to_x - $x) * $_ / 4, $y + ($to_y - $y) * $_ / 4, button => 'left', buttons => 1) for 1 .. 4;
		mouse('mouseReleased', $to_x, $to_y, button => 'left', clickCount => 1);
	},
	wheel => sub {
		my ($x, $y, $by, $ctrl) = @_;
		mouse('mouseWheel', $x, $y, deltaX => 0, deltaY => 0 + $by, modifiers => $ctrl ? 2 : 0);
	},
	media => sub { call('Emulation.setEmulatedMedia', media => $_[0]) },
	script => sub {
		open my $file, '<:utf8', $_[0] or die "$_[0]: $!\n";
		evaluate(do { local $/; <$file> } . "\n;0");
	},
	shot => sub {
		my $data = call('Page.captureScreenshot', format => 'png')->{data};
		open my $file, '>:raw', $_[0] or die "$_[0]: $!\n";
		print $file decode_base64($data);
	},
	loaded => sub { print "@loaded\n" },
);

my $target = call('Target.createTarget', url => 'about:blank')->{targetId};
$session = call('Target.attachToTarget', targetId => $target, flatten => JSON::PP::true)->{sessionId};
call("$_.enable") for qw(Page Network Runtime);
call('Performance.enable', timeDomain => 'threadTicks');
while (my $line = <STDIN>) {
	chomp $line;
	next if $line =~ /^\s*(#|$)/;
	my ($command, @words) = split ' ', $line;
	($commands{$command} // die "drive.pl: no command $command\n")->(@words);
}
eval {
	undef $session;
	call('Browser.close');
};
waitpid $pid, 0;
