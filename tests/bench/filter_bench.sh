#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# filter_bench.sh: the time (user and system) and the memory of --filter for a log of 1 GB in which one line of 50
# has a frame, beside `grep -c 0x` on the same file; runs take turns, medians of 5. FILTER_MB for another size.
set -eu
export LC_ALL=C
megabytes=${FILTER_MB:-1024}
work=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

perl -e '
	srand 1;
	my @words = split / /, "the request handler of service completed in ms with status code and user agent from " .
		"address to backend index cache miss timeout retry";
	my @frames = ("[   12.345678]  do_syscall_64+0x71/0x280", "./prog(+0x11e0)[0x55a5f2fcc1e0]",
		"    #0 0x55d0c8a0b139  (/nowhere/prog+0x1280)");
	my $piece = "";
	while (length $piece < 1 << 22) {
		$piece .= rand(50) < 1 ? $frames[rand @frames] : sprintf("2026-11-22T21:00:%02d.%06dZ host app[%d]: %s",
			rand 60, rand 1e6, rand 99999, join " ", map { $words[rand @words] } 1 .. 12);
		$piece .= "\n";
	}
	print $piece for 1 .. shift() / 4;' "$megabytes" >"$work/log"

# taken NAME OUT COMMAND…: adds its seconds and KiB. What grep prints must not go to /dev/null: it stops then.
taken() {
	local name=$1 out=$2
	shift 2
	/usr/bin/time -o "$work/time" -f '%U %S %M' "$@" <"$work/log" >"$out" 2>/dev/null || true
	tail -n 1 "$work/time" | awk '{ print $1 + $2, $3 }' >>"$work/$name"
}
for _ in 1 2 3 4 5; do
	taken grep "$work/out" grep -c 0x
	taken filter /dev/null "$STACK2LINE" --filter
done
median() {
	sort -n "$work/$1" | sed -n 3p
}
read -r grep _ < <(median grep)
read -r filter memory < <(median filter)
awk -v g="$grep" -v f="$filter" -v m="$memory" -v n="$megabytes" 'BEGIN {
	printf "--filter, %d MB: %.2f s and %d KiB; grep -c 0x: %.2f s; rate %.2f of it (0.50 is wanted)\n",
		n, f, m, g, g / f }'
