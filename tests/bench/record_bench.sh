#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `stack2line record -a` costs while processes start as fast as they can: CPU time of the
# recorder, slow-down of the spawning, bytes a process, lost records.
#
# Rounds with and without it take turns, since a machine's speed wanders; medians are compared.
#
#	record_bench.sh [ROUNDS [SECONDS [SPAWNERS]]]
set -u
rounds=${1:-7}
seconds=${2:-2}
spawners=${3:-1}
top=$(cd "$(dirname "$0")/../.." && pwd)
STACK2LINE=${STACK2LINE:-$top/stack2line}
CC=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# shellcheck disable=SC2086 # CC may carry options
$CC -O2 -o "$tmp/spawner" "$top/tests/e2e/spawner.c" || exit 1
echo 'int main(void) { return 0; }' >"$tmp/small.c"
# shellcheck disable=SC2086
$CC -O2 -o "$tmp/small" "$tmp/small.c" || exit 1

# spawn: processes a second, all spawners together.
spawn() {
	local pids=() pid
	for _ in $(seq "$spawners"); do
		"$tmp/spawner" "$seconds" "$tmp/small" >>"$tmp/counts" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	awk '{ n += $1 / $2 } END { printf "%.0f\n", n }' "$tmp/counts"
	rm "$tmp/counts"
}

# ticks PID: user and system CPU time so far.
ticks() {
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

# recorded: the same while everything is recorded; then the recorder's ticks, and its bytes.
recorded() {
	local recorder before n
	rm -f "$tmp/recording"
	"$STACK2LINE" record -a --no-kernel -o "$tmp/recording" 2>>"$tmp/summary" &
	recorder=$!
	sleep 0.5
	before=$(ticks "$recorder")
	n=$(spawn)
	echo "$n $(($(ticks "$recorder") - before)) $(stat -c %s "$tmp/recording")"
	kill -INT "$recorder"
	wait "$recorder"
}

median() {
	sort -n | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'
}

for _ in $(seq "$rounds"); do
	spawn >>"$tmp/alone"
	recorded >>"$tmp/recorded"
done
sed 's/.*: //' "$tmp/summary"
awk -v alone="$(median <"$tmp/alone")" -v recorded="$(median <"$tmp/recorded")" \
	-v seconds="$seconds" -v hz="$(getconf CLK_TCK)" '
	{ ticks += $2; bytes += $3; n += $1 * seconds }
	END {
		printf "processes a second: %d alone, %d recorded (%.1f %% fewer)\n", alone, recorded,
			100 * (1 - recorded / alone)
		printf "recorder: %.1f %% of one CPU, %.0f bytes a process\n",
			100 * ticks / hz / (NR * seconds), bytes / n
	}' "$tmp/recorded"
