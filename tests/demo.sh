#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds stack2line and does its main job on real input: samples a small program with BPF, and shows what
# stack2line makes of the maps. demo.sh [BUILD]: installs and builds nothing, but uses what was built in BUILD.
# With STACK2LINE=PROGRAM, that program is used, and none is built.
#
# Installs what it needs with apt, as root or by sudo. Where BPF is not allowed, or what it needs is missing, it
# reads the dump in tests/fixtures/demo, and says why.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
build=${1:-$top}
program=${STACK2LINE:-$build/stack2line}
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
out=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-demo.XXXXXX")
log=$out/build.log

say() {
	printf '%3d s  %s\n' "$SECONDS" "$*"
}

# logged COMMAND…: its output goes to the log. If it fails, prints the end of that, and exits.
logged() {
	"$@" >>"$log" 2>&1 && return
	tail -n 40 "$log"
	echo "demo.sh: this failed: $* (above is the end of $log)" >&2
	exit 1
}

prepare() {
	say "Packages (tests/install-deps.sh demo)"
	tests/install-deps.sh demo || exit
	say "Configuring (log: $log)"
	[ -x configure ] || logged autoreconf -fi
	[ -f Makefile ] || logged ./configure
	[ -z "${STACK2LINE:-}" ] || return 0
	say "Building (half a minute on two processors)"
	logged make -j"$(nproc)" stack2line
}

as_root=()
why=
# Fails, and sets WHY, if nothing can be sampled here.
can_sample() {
	if [ "$(id -u)" -ne 0 ]; then
		why="no root, and no sudo that asks for no password"
		command -v sudo >/dev/null && sudo -n true 2>/dev/null || return
		as_root=(sudo)
	fi
	why="the sampler cannot be built, which needs clang and libbpf-dev"
	make -s -C "$build" tests/bpf/capture tests/bpf/stacks.bpf.o >>"$log" 2>&1
}

declare -A map=()
# Runs the program under the sampler, which then keeps the program and the maps until the demo ends.
sample() {
	local word name id
	gcc -g -O2 -fno-omit-frame-pointer tests/bpf/demo.c -o "$out/shop" >>"$log" 2>&1 || return
	mkfifo "$out/to"
	exec {from}< <(exec "${as_root[@]}" "$build/tests/bpf/capture" --object "$build/tests/bpf/stacks.bpf.o" \
		--frequency 499 -- "$out/shop" <"$out/to" 2>"$out/sampler.log")
	exec {to}>"$out/to"
	while read -r word name id <&"$from" && [ "$word" != ready ]; do
		[ "$word" != map ] || map[$name]=$id
	done
	if [ "$word" = ready ]; then
		say "Sampling the program shop (tests/bpf/demo.c) with BPF, 499 times a second for 3 seconds"
		echo go >&"$to"
		read -r word <&"$from" && [ "$word" = "done" ] && return
	fi
	why="BPF is not allowed here ($(grep '^capture:' "$out/sampler.log" | tail -n 1))"
	return 1
}

# shown COMMAND ARG…: prints it as a person types it.
shown() {
	printf '\n$ %s\n' "$*"
}

# ours RESULT ARG…: runs stack2line where the dump is. RESULT gets its output, summary its standard error.
ours() {
	local result=$1
	shift
	(cd "$dir" && "${as_root[@]}" "$program" "$@") >"$out/$result" 2>"$out/summary" || {
		cat "$out/summary"
		exit 1
	}
}

[ $# -gt 0 ] || prepare
if can_sample && sample; then
	dir=$out
	if command -v bpftool >/dev/null; then
		input=(stacks.txt counts.txt)
		for name in stacks counts; do
			"${as_root[@]}" bpftool map dump id "${map[$name]}" >"$out/$name.txt"
		done
		say "bpftool map dump id ${map[stacks]} > stacks.txt; bpftool map dump id ${map[counts]} > counts.txt"
	else
		input=("--map=id:${map[stacks]}" "--map=id:${map[counts]}")
		say "There is no bpftool: stack2line reads the maps itself"
	fi
else
	dir=$top/tests/fixtures/demo
	input=(-e shop stacks.txt counts.json)
	say "Not sampled: $why"
	say "Reading a recorded dump instead, in $dir"
fi

cat <<END

The stack map holds addresses; the count map holds how often BPF sampled each stack, its weight.
stack2line names the addresses, and prints the stacks by weight:
END
shown stack2line -s --annotated "${input[@]}"
ours annotated.txt -s --annotated "${input[@]}"
awk -v RS= -v ORS='\n\n' 'NR <= 3; END { printf "… and %d other stacks\n", NR - 3 }' "$out/annotated.txt"
cat <<END
A line is a frame, the innermost first: address (+0x: offset in the file; ...: several), function, source line, file.
The code of an (inlined) function is part of the function in the next line.
END
if grep -q 'no file with this build ID' "$out/annotated.txt"; then
	echo 'A frame without a name has a reason after "--": the C library of the recorded dump is not on this machine.'
fi
if [ -s "$out/summary" ]; then
	cat "$out/summary" && echo "This summary, on standard error, says what stacks and frames lack."
fi
shown stack2line --top=5 "${input[@]}"
ours top.txt --top=5 "${input[@]}"
cat "$out/top.txt"
echo "self: weight of the stacks with the function innermost; total: of those with the function anywhere"
shown stack2line --format=flamegraph "${input[@]}" '>' "$out/shop.html"
ours shop.html --format=flamegraph "${input[@]}"
say "Done. Open the flame graph $out/shop.html in a browser."
