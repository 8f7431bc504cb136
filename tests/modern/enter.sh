#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# enter.sh ROOT DIRECTORY COMMAND ARG…: runs the command in the environment, as this very process.
# DIRECTORY is there under the same path. What is mounted is so for the command alone.
set -eu
root=$1
shift
# shellcheck disable=SC2016 # for the inner shell
exec unshare --mount --propagation private bash -euc '
	root=$1 directory=$2
	shift 2
	for tree in proc sys dev; do
		mount --rbind /$tree "$root/$tree"
	done
	[ -d "$root/sys/kernel/tracing/events" ] || mount -t tracefs tracefs "$root/sys/kernel/tracing"
	mount -t tmpfs tmpfs "$root/tmp"
	mkdir -p "$root$directory"
	mount --bind "$directory" "$root$directory"
	exec chroot "$root" "$@"' enter "$root" "$@"
