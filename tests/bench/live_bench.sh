#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Full stack maps (16,384 stacks) with their counts, resolved end to end: read from the kernel, against
# `bpftool -j` piped into the same program, both to a new file and to /dev/null. Needs root.
# live_bench.sh [ROUNDS [SHAPE…]]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_bpf
need_command python3
rounds=${1:-5}
shift
shapes=("$@")
[ $# -gt 0 ] || shapes=(deep shared distinct)

# compare SCRIPT SCRIPT: runs both in turn, $out being what they write to; the least and the median
# seconds, the least seconds of CPU time of all processes (which other load disturbs less), and how
# many times faster the second one is.
compare() {
	python3 - "$rounds" "$tmp" "$@" <<-'EOF'
		import os, resource, statistics, subprocess, sys, time
		rounds, tmp, scripts = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
		def cpu():
		    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		    return usage.ru_utime + usage.ru_stime
		def run(script, out):
		    if out != "/dev/null" and os.path.exists(out):
		        os.unlink(out)
		    start, used = time.monotonic(), cpu()
		    subprocess.run(["bash", script], check=True, stderr=subprocess.DEVNULL,
		                   env=dict(os.environ, out=out))
		    return time.monotonic() - start, cpu() - used
		for out in tmp + "/out", "/dev/null":
		    times = [[], []]
		    for _ in range(rounds):
		        for i, script in enumerate(scripts):
		            times[i].append(run(script, out))
		    walls = [[wall for wall, _ in t] for t in times]
		    for script, wall, t in zip(scripts, walls, times):
		        print("  %-12s > %-9s least %.3f s, median %.3f s, CPU %.3f s" % (
		            os.path.basename(script), "file" if out != "/dev/null" else out, min(wall),
		            statistics.median(wall), min(c for _, c in t)))
		    print("  %.1f times faster by the least, %.1f by the median" % (
		        min(walls[0]) / min(walls[1]),
		        statistics.median(walls[0]) / statistics.median(walls[1])))
	EOF
}

build() {
	"$CC" -g -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -mno-red-zone \
		"$top_srcdir/tests/bench/$1.c" -o "$tmp/$1" || exit 1
}

# shape NAME PROGRAM ARGUMENT…: IDs are hashes, so it takes some ten times as many stacks until each
# of 16,384 places is taken.
shape() {
	local name=$1 program=$2 counts stacks
	shift 2
	capture_start --uprobe "$tmp/$program:probe_point" --entries 32768 -- "$tmp/$program" "$@" &&
		capture_go || exit 1
	counts=${map_id[counts]} stacks=${map_id[stacks]}
	cat >"$tmp/bpftool -j |" <<-EOF
		{ bpftool -j map dump id $counts; bpftool -j map dump id $stacks; } |
			$STACK2LINE --folded >\$out
	EOF
	echo "exec $STACK2LINE --folded --map id:$counts --map id:$stacks >\$out" >"$tmp/--map"
	# The helper threads start only where there is a second CPU.
	sed 's/^exec/exec taskset -c 0/' "$tmp/--map" >"$tmp/one CPU"
	out=$tmp/by_pipe bash "$tmp/bpftool -j |" 2>/dev/null
	out=$tmp/by_map bash "$tmp/--map" 2>/dev/null
	cmp "$tmp/by_pipe" "$tmp/by_map" || exit 1
	echo "$name: $("$STACK2LINE" --json --map "id:$stacks" 2>/dev/null | wc -l) stacks," \
		"$(wc -c <"$tmp/by_map") bytes"
	compare "$tmp/bpftool -j |" "$tmp/--map"
	compare "$tmp/one CPU" "$tmp/--map"
	capture_end
}

build deep
build fake_frames
for shape in "${shapes[@]}"; do
	case $shape in
	deep) shape "deep: 127 slots, 512 addresses" deep 200000 ;;
	shared) shape "shared: 15 to 60 slots, 600 addresses of libc" \
		fake_frames 200000 600 15 60 libc.so.6 ;;
	# Here nearly all of the time is the names' on both sides.
	distinct) shape "distinct: 127 slots, nearly all another address of ${LIBRARY:=libLLVM-14.so.1}" \
		fake_frames 200000 4000000 130 139 "$LIBRARY" ;;
	esac
done
