# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of bpftrace share. Behind lib.sh, in a directory of the test's own.

bpftrace=

# bpftrace_start SCRIPT: runs it; returns when it is attached. bpftrace is its process, "printed" what it prints,
# bpftrace.err what it complains of. A probe ends it, when a program of a name of ours ends: bpftrace 0.17 forgets a
# signal that comes while it does not wait, and sometimes an event, so that one after another is run. Fails if bpftrace
# does not run here.
bpftrace_start() {
	ender=end_$$
	# shellcheck disable=SC2154 # tmp is of lib.sh
	cp "$(type -P true)" "$tmp/$ender"
	{
		printf '%s\n' 'BEGIN { printf("ready\n"); }'
		echo "tracepoint:sched:sched_process_exit /comm == \"$ender\"/ { exit(); }"
		cat "$1"
	} >whole.bt
	: >printed # at once: what another one printed is not this one's
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private bash -c '
		[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec bpftrace whole.bt' >printed 2>bpftrace.err &
	bpftrace=$!
	await bpftrace_decides
	! grep -q ready printed || return 0
	has_ended "$bpftrace" 2>/dev/null && wait "$bpftrace"
	echo "ERROR: status $?, printed '$(head -c 200 printed | tr '\n' ' ')', said '$(tail -n 1 bpftrace.err)'" >>bpftrace.err
	return 1
}

bpftrace_decides() {
	grep -q ready printed || has_ended "$bpftrace"
}

# Ends it; it has printed its maps then.
bpftrace_stop() {
	[ -n "$bpftrace" ] || return 0
	until has_ended "$bpftrace" 2>/dev/null; do
		"$tmp/$ender"
		sleep 0.1
	done
	wait "$bpftrace"
	bpftrace=
}
