#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `stack2line record -a` costs while processes start as fast as they can: CPU time of the
# recorder, slow-down of the spawning, bytes a process, lost records.
#
#	record_bench.sh [SECONDS [SPAWNERS]]
set -u
seconds=${1:-5}
spawners=${2:-$(nproc)}
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
	for _ in $(seq "$spawners"); do
		"$tmp/spawner" "$seconds" "$tmp/small" &
	done >"$tmp/counts"
	for job in $(jobs -p); do
		[ "$job" = "${recorder:-}" ] || wait "$job"
	done
	awk '{ n += $1 / $2 } END { printf "%.0f\n", n }' "$tmp/counts"
}

# ticks PID: user and system CPU time so far.
ticks() {
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

alone=$(spawn)
"$STACK2LINE" record -a --no-kernel -o "$tmp/recording" 2>"$tmp/summary" &
recorder=$!
sleep 1
before=$(ticks "$recorder")
recorded=$(spawn)
after=$(ticks "$recorder")
kill -INT "$recorder"
wait "$recorder"
again=$(recorder='' spawn)

cat "$tmp/summary"
awk -v alone="$alone" -v again="$again" -v recorded="$recorded" -v seconds="$seconds" \
	-v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" \
	-v bytes="$(stat -c %s "$tmp/recording")" 'BEGIN {
	base = (alone + again) / 2
	printf "processes a second: %d and %d alone, %d recorded (%.1f %% fewer)\n", alone, again,
		recorded, 100 * (1 - recorded / base)
	printf "recorder: %.1f %% of one CPU, %.0f bytes a process\n", 100 * ticks / hz / seconds,
		bytes / (recorded * seconds)
}'
