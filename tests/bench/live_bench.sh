#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A full stack map (16,384 stacks of 127 slots) with its counts, resolved end to end: read from the
# kernel, against `bpftool -j` piped into the same program. Needs root. live_bench.sh [ROUNDS]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_bpf
need_command python3
rounds=${1:-5}

# best COMMAND…: of some runs the least seconds, and the least seconds of CPU time of all processes
# (which other load on the machine disturbs less); KiB of memory that the largest process took.
best() {
	python3 - "$rounds" "$@" <<-'EOF'
		import resource, subprocess, sys, time
		def cpu():
		    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		    return usage.ru_utime + usage.ru_stime
		walls, cpus = [], []
		for _ in range(int(sys.argv[1])):
		    start, used = time.monotonic(), cpu()
		    subprocess.run(sys.argv[2:], check=True, stderr=subprocess.DEVNULL)
		    walls.append(time.monotonic() - start)
		    cpus.append(cpu() - used)
		print(min(walls), min(cpus), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	EOF
}

"$CC" -g -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
	"$top_srcdir/tests/bench/deep.c" -o "$tmp/deep" || exit 1
# IDs are hashes: it takes some ten times as many stacks until each of 16,384 places is taken.
capture_start --uprobe "$tmp/deep:probe_point" --entries 32768 -- "$tmp/deep" 200000 && capture_go || exit 1
counts=${map_id[counts]} stacks=${map_id[stacks]}
cat >"$tmp/pipe" <<EOF
{ bpftool -j map dump id $counts; bpftool -j map dump id $stacks; } |
	$STACK2LINE --folded >$tmp/by_pipe
EOF
echo "$STACK2LINE --folded --map id:$counts --map id:$stacks >$tmp/by_map" >"$tmp/map"
read -r pipe pipe_cpu pipe_memory < <(best bash "$tmp/pipe")
read -r map map_cpu map_memory < <(best bash "$tmp/map")
cmp "$tmp/by_pipe" "$tmp/by_map" || exit 1
awk -v pipe="$pipe" -v map="$map" -v pipe_cpu="$pipe_cpu" -v map_cpu="$map_cpu" \
	-v pipe_memory="$pipe_memory" -v map_memory="$map_memory" \
	-v stacks="$("$STACK2LINE" --json --map "id:$stacks" | wc -l)" 'BEGIN {
	printf "stacks %d\n", stacks
	printf "bpftool -j | stack2line  %.3f s  %.3f s CPU  %d KiB\n", pipe, pipe_cpu, pipe_memory
	printf "stack2line --map         %.3f s  %.3f s CPU  %d KiB\n", map, map_cpu, map_memory
	printf "%.1f times faster, %.1f times less CPU\n", pipe / map, pipe_cpu / map_cpu
}'
capture_end
