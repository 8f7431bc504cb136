#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# own_root.pl COMMAND ARG…: makes the root of a chroot that of the mount namespace, which must be of its own (unshare
# --mount), and runs the command in the same directory. pivot_root() wants a caller whose root is the namespace's, so
# it leaves the chroot first. own_root.pl --check: the status is 0 in a chroot that root can leave, else 1.
use strict;
use warnings;
use Cwd ();

my ($MS_BIND, $MS_REC, $MS_PRIVATE, $MNT_DETACH) = (1 << 12, 1 << 14, 1 << 18, 2);
# <asm/unistd.h>
my ($mount, $umount, $pivot_root) = `uname -m` =~ /x86_64/ ? (165, 166, 155) : (40, 39, 41);
my $directory = Cwd::getcwd();

sub try {
	my ($what, $failed) = @_;
	die "own_root.pl: $what: $!\n" if $failed;
}

open my $root, '<', '/' or die "own_root.pl: /: $!\n";
my $check = $ARGV[0] eq '--check';
my ($device, $inode) = stat '/';
# Nothing is above the namespace's root, and of its own root a process outside is not held.
unless (chdir '/' and chroot '/tmp') {
	exit 1 if $check;
	die "own_root.pl: chroot: $!\n";
}
chdir '..' for 1 .. 256;
chroot '.' or die "own_root.pl: chroot: $!\n";
if ($check) {
	my ($outer_device, $outer_inode) = stat '/';
	exit($device == $outer_device && $inode == $outer_inode);
}
chdir $root or die "own_root.pl: chdir: $!\n";
my $path = Cwd::getcwd();
my ($none, $top, $here) = ('', '/', '.');
try('private mounts', syscall $mount, $none, $top, $none, $MS_REC | $MS_PRIVATE, 0);
try('bind', syscall $mount, $path, $path, $none, $MS_BIND | $MS_REC, 0);
chdir $path or die "own_root.pl: $path: $!\n";
try('pivot_root', syscall $pivot_root, $here, $here);
try('umount', syscall $umount, $here, $MNT_DETACH);
chdir $directory or die "own_root.pl: $directory: $!\n";
exec @ARGV or die "own_root.pl: $ARGV[0]: $!\n";
