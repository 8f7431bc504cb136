#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording of PROCESSES (25 million are a day with 300 a second): bytes a process, and what it takes to
# look one address up, time and memory.
#
#	day_bench.sh [PROCESSES]
set -u
processes=${1:-25000000}
STACK2LINE=${STACK2LINE:-./stack2line}
DAY=${DAY:-tests/bench/day_recording}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

read -r pid time address < <("$DAY" "$processes" "$tmp/r")
size=$(stat -c %s "$tmp/r")
echo "$processes processes: $((size >> 20)) MiB, $((size / processes)) bytes each"
for _ in 1 2 3; do
	echo "stack2line-portable 1 pid=$pid weight=1 time=$time exact=1 user=$address" |
		"$(type -P time)" -f "one address: %e s, %U s user, %M KB" "$STACK2LINE" --recording "$tmp/r" --folded - 2>&1 |
		grep -v '^stack2line'
done
