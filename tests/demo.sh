#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds stack2line and does its main job on real input: samples a small program with BPF, dumps the
# maps with bpftool, and shows what stack2line makes of them. Where BPF is not allowed it takes
# the dump in tests/fixtures/demo instead. Needs Debian 12 or newer, and root or sudo to install.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
PATH=$PATH:/usr/sbin:/sbin
out=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-demo.XXXXXX")

say() {
	printf '\n== %s\n' "$*"
}

build() {
	say "Building in $top"
	[ -x configure ] || autoreconf -fi
	[ -f Makefile ] || ./configure --quiet
	make -s -j"$(nproc)" stack2line
}

# BPF needs root; everything else does not.
as_root=()
can_sample() {
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
		as_root=(sudo)
	fi
	make -s tests/bpf/capture tests/bpf/stacks.bpf.o 2>"$out/log" &&
		"${as_root[@]}" bpftool prog list >/dev/null 2>&1
}

# Runs the program under the sampler and leaves the dumps in $out. Then the program still lives.
sample() {
	local word name id
	declare -A map=()

	gcc -g -O2 -fno-omit-frame-pointer tests/bpf/demo.c -o "$out/shop" ||
		return 1
	coproc CAPTURE { exec "${as_root[@]}" tests/bpf/capture --object tests/bpf/stacks.bpf.o \
		--frequency 499 -- "$out/shop"; }
	exec {from}<&"${CAPTURE[0]}" {to}>&"${CAPTURE[1]}"
	eval "exec ${CAPTURE[1]}>&-"
	while read -r word name id <&"$from"; do
		case $word in
		map) map[$name]=$id ;;
		ready) break ;;
		esac
	done
	[ "$word" = ready ] || return 1
	say "Sampling $out/shop for 3 seconds with BPF"
	echo go >&"$to"
	read -r word <&"$from" && [ "$word" = "done" ] || return 1
	for name in counts stacks; do
		echo "bpftool map dump id ${map[$name]} > $out/$name.txt"
		"${as_root[@]}" bpftool map dump id "${map[$name]}" >"$out/$name.txt" || return 1
	done
	resolve=("${as_root[@]}" ./stack2line --stacks "$out/stacks.txt" --counts "$out/counts.txt")
}

recorded() {
	local dir=tests/fixtures/demo
	say "BPF is not allowed here: taking the recorded dump in $dir"
	resolve=(./stack2line -e "$dir/shop" --stacks "$dir/stacks.txt" --counts "$dir/counts.json")
}

tests/install-deps.sh demo
build
if can_sample && sample; then
	:
else
	[ ! -s "$out/log" ] || cat "$out/log"
	recorded
fi

say "Annotated: ${resolve[*]} --annotated | head -n 30"
"${resolve[@]}" --annotated >"$out/annotated.txt"
head -n 30 "$out/annotated.txt"
say "Folded: ${resolve[*]} --folded > $out/shop.folded"
"${resolve[@]}" --folded >"$out/shop.folded"
sort -t ' ' -k 2nr "$out/shop.folded" | head -n 10
say "All of it is in $out: annotated.txt and shop.folded (input for flamegraph.pl or speedscope.app)"
