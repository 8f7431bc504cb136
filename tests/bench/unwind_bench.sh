#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Snapshots of 30 frames without frame pointers, unwound and named on one core: of a program with CFI and of one
# with SFrame only, from the ring buffer and from what bpftool printed; in turn with `perf script` and perf's own
# recording of the same program (as many bytes of the stack, about as many samples, without looking for inlined
# functions). Each also with a tenth of the samples: what a further one costs, without start and loading.
# Needs root and perf. unwind_bench.sh [SNAPSHOTS [ROUNDS]]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
S2L_BPF_OBJECT=$top_builddir/tests/bpf/snapshot.bpf.o
need_bpf
need_command gcc objcopy perf python3 taskset
wanted=${1:-40000}
rounds=${2:-3}
cd "$tmp" || exit 99

gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o cfi "$top_srcdir/tests/bench/recurse.c" &&
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wa,--gsframe -o sframe "$top_srcdir/tests/bench/recurse.c" &&
	objcopy -R .eh_frame -R .eh_frame_hdr sframe || exit 99

# cpu COMMAND…: seconds of CPU time on one core; the output goes to the file out.
cpu() {
	python3 - "$@" <<-'END'
		import resource, subprocess, sys
		subprocess.run(["taskset", "-c", "0"] + sys.argv[1:], stdout=open("out", "w"), stderr=subprocess.DEVNULL)
		usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		print("%.3f" % (usage.ru_utime + usage.ru_stime))
	END
}

# The same for a reader of the ring buffer, which is full of snapshots.
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

# ours PROGRAM CALLS FILE: adds `snapshots seconds` of a capture to FILE.
ours() {
	capture_start --frequency 4000 --ring $((1 << 28)) -- "$tmp/$1" "$2" wait && capture_go || exit 99
	local seconds
	seconds=$(from_ring)
	awk -v s="$seconds" '{ n += $NF } END { print n, s }' out >>"$3"
	capture_end
}

# theirs CALLS: records for perf; script CALLS FILE is the same as ours of that.
theirs() {
	perf record -q -F 4000 -e cpu-clock:u --call-graph dwarf,3072 -o "perf.$1" ./cfi "$1" >/dev/null 2>&1
	perf script -i "perf.$1" -F time --no-inline 2>/dev/null | grep -c : >"perf.$1.n"
}

script() {
	echo "$(cat "perf.$1.n") $(cpu perf script -i "perf.$1" -F ip,sym --no-inline)" >>"$2"
}

# rates NAME: medians of the file large and of what large has more than small; both rates go to NAME.rates.
rates() {
	paste -d ' ' large small | awk -v name="$1" '
		function median(values, n,  i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
					t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
				}
			return values[int((n + 1) / 2)]
		}
		{ all += $1; whole[NR] = $1 / $2; if (NF == 4) further[NR] = ($1 - $3) / ($2 - $4 > 0 ? $2 - $4 : 0.001) }
		END {
			printf "  %-28s %6d snapshots: %7.0f a second", name, all / NR, whole_rate = median(whole, NR)
			rate = further[1] ? median(further, NR) : whole_rate
			if (further[1])
				printf ", further ones %7.0f", rate
			print ""
			print whole_rate, rate >(name ".rates")
		}'
	rm -f large small
}

frames() {
	awk '{ n = split($0, part, ";"); frames += (n - 1) * $NF; all += $NF }
		END { printf "    %.1f frames each\n", frames / all }' out
}

layout='u32 pid, tid; char chain[64]; u64 ip, sp, bp; u32 len; u8 stack[3072]'
calls=$((wanted * 67)) # about one sample in so many, at 4000 a second
theirs $calls
theirs $((calls / 10))
for program in cfi sframe; do
	for ((round = 0; round < rounds; round++)); do
		ours $program $((calls / 10)) small
		ours $program $calls large
		[ $program = cfi ] || continue
		script $((calls / 10)) script.small
		script $calls script.large
		mv out out.script
	done
	rates "$program: --events"
	ours $program $((calls / 10)) small # for out
	frames
	rm -f small
done
mv script.large large && mv script.small small && rates "cfi: perf script"
awk 'NF { frames++ } END { printf "    %.1f frames each\n", frames / n }' n="$(cat perf.$calls.n)" out.script
paste "cfi: --events.rates" "cfi: perf script.rates" | awk '{ printf "  %.1f times the rate of perf script, further ones %.1f times\n", $1 / $3, $2 / $4 }'

# What bpftool printed, the same ones again and again, of a process that is still there.
for program in cfi sframe; do
	capture_start --frequency 4000 -- "$tmp/$program" $((calls / 4)) wait || exit 99
	bpftool map event_pipe id "${map_id[snapshots_perf]}" >events 2>/dev/null &
	reader=$!
	sleep 1
	capture_go
	kill -INT "$reader"
	wait "$reader" 2>/dev/null
	n=$(grep -c '^== @' events)
	for ((i = 0; i < wanted; i += n)); do
		cat events
	done >many
	n=$(grep -c '^== @' many)
	for ((round = 0; round < rounds; round++)); do
		echo "$n $(cpu "$STACK2LINE" --folded --event-layout "$layout" many)" >>large
		echo "$n $(cpu "$STACK2LINE" --folded --event-layout 'u32 pid, tid; u64 ustack[1]' many)" >>text
	done
	: >small && rates "$program: event_pipe"
	mv text large && : >small && rates "    reading the text alone"
	capture_end
done
