#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What judging stacks costs: full stack maps (16,384 stacks), folded by BASE, a stack2line that does not judge
# them, and by this one, in turn. Needs root. And what it costs the addresses of a kernel, which nothing is to
# be judged of: that of ADDRESSES_OF, or of Debian's linux-image-*-dbg.
# BASE=PROGRAM [ADDRESSES_OF=VMLINUX] health_bench.sh [ROUNDS]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
[ -x "${BASE:-}" ] || { echo "health: no BASE to compare with"; exit 0; }
need_bpf
rounds=${1:-9}

build() {
	compiler -g -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -mno-red-zone \
		"$top_srcdir/tests/bench/$1.c" -o "$tmp/$1" || exit 1
}

# cpu PROGRAM ARG…: milliseconds of CPU time.
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" <"$tmp/addresses" >/dev/null 2>&1; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

# compare NAME ARG…: the least and the median of both.
compare() {
	local name=$1 round
	shift
	rm -f "$tmp/base" "$tmp/ours"
	for ((round = 0; round < rounds; round++)); do
		cpu "$BASE" "$@" >>"$tmp/base"
		cpu "$STACK2LINE" "$@" >>"$tmp/ours"
	done
	paste <(sort -n "$tmp/base") <(sort -n "$tmp/ours") | awk -v name="$name" '
		{ base[NR] = $1; ours[NR] = $2 }
		END {
			middle = int((NR + 1) / 2)
			printf "health: %s: %d ms without, %d ms with, %+.1f %% by the least, %+.1f %% by the median\n",
				name, base[1], ours[1], (ours[1] / base[1] - 1) * 100,
				(ours[middle] / base[middle] - 1) * 100
		}'
}

# shape NAME PROGRAM ARGUMENT…
shape() {
	local name=$1 program=$2
	shift 2
	capture_start --uprobe "$tmp/$program:probe_point" --entries 32768 -- "$tmp/$program" "$@" &&
		capture_go || exit 1
	dump counts -j >"$tmp/counts.json"
	dump stacks -j >"$tmp/stacks.json"
	compare "$name" --folded "$tmp/stacks.json" "$tmp/counts.json"
	capture_end
}

: >"$tmp/addresses"
build deep
build fake_frames
shape "deep, 512 addresses" deep 200000
shape "shared, 600 addresses of libc" fake_frames 200000 600 15 60 libc.so.6
library=${LIBRARY:-libLLVM-14.so.1}
shape "distinct, nearly all another address of $library" fake_frames 200000 4000000 130 139 "$library"
for object in ${ADDRESSES_OF:-/usr/lib/debug/boot/vmlinux-*}; do
	[ -e "$object" ] || { echo "health: no vmlinux with debug info (linux-image-*-dbg): not measured"; continue; }
	"$top_srcdir/tests/bench/addresses.sh" "$object" 100000 >"$tmp/addresses"
	compare "100,000 addresses of $(basename "$object")" --format=addr2line -f -i -e "$object"
done
