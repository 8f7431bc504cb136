#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Snapshots of 30 frames without frame pointers, unwound and named on one core: of a program with CFI and of one
# with SFrame only, from what bpftool printed and from the ring buffer, beside `perf script` with perf's own
# recording of the same program. Needs root and perf. unwind_bench.sh [SNAPSHOTS]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
S2L_BPF_OBJECT=$top_builddir/tests/bpf/snapshot.bpf.o
need_bpf
need_command gcc objcopy perf python3 taskset
wanted=${1:-40000}
cd "$tmp" || exit 99

cat >deep.c <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	typedef int function(int depth);
	static function a, b, c;
	static volatile int sum;
	__attribute__((noinline)) static int a(int depth) { return (depth ? b(depth - 1) : 1) + sum; }
	__attribute__((noinline)) static int b(int depth)
	{
		volatile char room[40];
		room[depth] = 1;
		return (depth ? c(depth - 1) : 2) + room[depth];
	}
	__attribute__((noinline)) static int c(int depth)
	{
		if (depth)
			return a(depth - 1) * 3;
		for (int i = 0; i < 2000; i++)
			sum += i;
		return sum;
	}
	int main(int argc, char **argv)
	{
		char byte;
		if (argc > 2 && read(0, &byte, 1) != 1)
			return 1;
		for (int i = atoi(argv[1]); i > 0; i--)
			sum += a(26);
		if (argc > 2 && write(1, "", 1) == 1)
			while (read(0, &byte, 1) > 0)
				;
		return 0;
	}
END
gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o cfi deep.c &&
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wa,--gsframe -o sframe deep.c &&
	objcopy -R .eh_frame -R .eh_frame_hdr sframe || exit 99

# cpu COMMAND…: the least seconds of CPU time of three runs on one core; the output goes to the file out.
cpu() {
	python3 - "$@" <<-'END'
		import resource, subprocess, sys
		best = 1e9
		for _ in range(3):
		    before = resource.getrusage(resource.RUSAGE_CHILDREN)
		    subprocess.run(["taskset", "-c", "0"] + sys.argv[1:], stdout=open("out", "w"),
		                   stderr=subprocess.DEVNULL)
		    after = resource.getrusage(resource.RUSAGE_CHILDREN)
		    best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
		print("%.3f" % best)
	END
}

# The same of a reader of the ring buffer, which is full of snapshots.
from_ring() {
	python3 - "$STACK2LINE" "${map_id[snapshots]}" "$layout" <<-'END'
		import resource, signal, subprocess, sys, time
		reader = subprocess.Popen(["taskset", "-c", "0", sys.argv[1], "--folded", "--events",
		                           "id:" + sys.argv[2], "--event-layout", sys.argv[3]],
		                          stdout=open("out", "w"), stderr=subprocess.DEVNULL)
		time.sleep(2)
		reader.send_signal(signal.SIGINT)
		reader.wait()
		usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		print("%.3f" % (usage.ru_utime + usage.ru_stime))
	END
}

# rate NAME N SECONDS
rate() {
	awk -v name="$1" -v n="$2" -v s="$3" \
		'BEGIN { printf "  %-32s %7d snapshots, %.3f s of CPU: %7.0f a second\n", name, n, s, n / s }'
}

# How many snapshots are in out.
count_out() {
	awk '{ all += $NF } END { print all }' out
}

layout='u32 pid, tid; char chain[64]; u64 ip, sp, bp; u32 len; u8 stack[3072]'
for program in cfi sframe; do
	capture_start --frequency 4000 -- "$tmp/$program" 1500000 wait || exit 99
	bpftool map event_pipe id "${map_id[snapshots_perf]}" >events 2>/dev/null &
	reader=$!
	sleep 1
	capture_go
	kill -INT "$reader"
	wait "$reader" 2>/dev/null
	seconds=$(from_ring)
	rate "$program: --events" "$(count_out)" "$seconds"
	awk '{ n = split($0, part, ";"); frames += (n - 1) * $NF; all += $NF }
		END { printf "    %.1f frames each\n", frames / all }' out
	# The same ones again and again: as many as are wanted, of a process that is still there.
	n=$(grep -c '^== @' events)
	for ((i = 0; i < wanted; i += n)); do
		cat events
	done >many
	n=$(grep -c '^== @' many)
	seconds=$(cpu "$STACK2LINE" --folded --event-layout "$layout" many)
	rate "$program: event_pipe" "$n" "$seconds"
	rate "    reading the text alone" "$n" \
		"$(cpu "$STACK2LINE" --folded --event-layout 'u32 pid, tid; u64 ustack[1]' many)"
	capture_end
done
perf record -q -F 4000 -e cpu-clock:u --call-graph dwarf,3072 -o perf.data ./cfi 1500000 >/dev/null 2>&1
n=$(perf script -i perf.data -F time --no-inline 2>/dev/null | grep -c :)
rate "cfi: perf script" "$n" "$(cpu perf script -i perf.data -F ip,sym --no-inline)"
awk 'NF { frames++ } END { printf "    %.1f frames each\n", frames / n }' n="$n" out
