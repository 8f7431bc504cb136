# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A busy machine: shells and compilers that come and go, and twelve other BPF programs with stack maps and counts.
# Behind lib.sh and need_bpf.
#
#	busy_start PROGRAM ARG…	PROGRAM is what the twelve watch; it waits for its input
#	busy_stop
# shellcheck disable=SC2154 # of lib.sh
busy_others=()

# Forks and compiles until its file is gone.
busy_load() {
	while [ -e busy.load ]; do
		/bin/true
		(true)
		echo 'int main(void) { return 0; }' | compiler -x c - -o "$tmp/busy.loaded"
	done
}

busy_start() {
	touch busy.load
	busy_load >/dev/null 2>&1 &
	# They load, and wait for a line that nobody writes.
	mkfifo busy.never
	exec {busy_never}<>busy.never
	for ((i = 0; i < 12; i++)); do
		"$top_builddir/tests/bpf/capture" --object "$bpf_object" --syscall "$getppid" -- "$@" \
			<busy.never >"busy.other$i" 2>&1 &
		busy_others+=($!)
	done
}

busy_stop() {
	rm busy.load
	kill "${busy_others[@]}"
	exec {busy_never}>&-
	wait 2>/dev/null
}
