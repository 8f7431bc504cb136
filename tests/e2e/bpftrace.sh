# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of bpftrace share. Behind lib.sh, in a directory of the test's own.

bpftrace=

# bpftrace_start SCRIPT: runs it; returns when it is attached. bpftrace is its process, "printed" what it prints,
# bpftrace.err what it complains of. A probe ends it, when a process of ours ends: bpftrace 0.17 forgets a signal that
# comes while it does not wait. Fails if bpftrace does not run here.
bpftrace_start() {
	sleep infinity &
	keeper=$!
	{
		printf '%s\n' 'BEGIN { printf("ready\n"); }'
		echo "tracepoint:sched:sched_process_exit /pid == $keeper/ { exit(); }"
		cat "$1"
	} >whole.bt
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private bash -c '
		[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec bpftrace whole.bt' >printed 2>bpftrace.err &
	bpftrace=$!
	await bpftrace_decides
	grep -q ready printed
}

bpftrace_decides() {
	grep -q ready printed || has_ended "$bpftrace"
}

# Ends it; it has printed its maps then.
bpftrace_stop() {
	[ -n "$bpftrace" ] || return 0
	kill "$keeper"
	wait "$bpftrace"
	bpftrace=
}
