#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh SECONDS TARGET…: runs each libFuzzer target so long, from the corpus in the source tree, several
# at a time. What it finds is left in the current directory as TARGET-crash-…, and shown.
set -u
seconds=$1
shift
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpus
work=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-fuzz.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# fuzz TARGET: how it ended is its status; what it said is in $work/NAME.log.
fuzz() {
	local target=$1 name
	name=$(basename "$1")
	mkdir "$work/$name"
	timeout $((seconds + 120)) "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
		-artifact_prefix="$name-" "$work/$name" "$corpus/${name#fuzz_}" >"$work/$name.log" 2>&1
}

failed=0
# Those that run, a pair each: the process and its target.
pids=()
targets=()

# Waits for the one that was started first.
reap() {
	local name
	name=$(basename "${targets[0]}")
	if wait "${pids[0]}"; then
		echo "ok: $name: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$work/$name.log")"
	else
		failed=1
		tail -n 40 "$work/$name.log"
		echo "FAILED: $name"
	fi
	pids=("${pids[@]:1}")
	targets=("${targets[@]:1}")
}

for target in "$@"; do
	[ "${#pids[@]}" -lt "$(nproc)" ] || reap
	fuzz "$target" &
	pids+=($!)
	targets+=("$target")
done
while [ "${#pids[@]}" -gt 0 ]; do
	reap
done
[ "$failed" -eq 0 ]
