#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Times stack2line against the addr2lines there are, side by side: whole processes, functions,
# inlines and lines printed, the same addresses, the tools in turn so that a change of the
# machine's speed meets all of them, each pinned to one core. Prints medians and ratios; judges
# nothing. "floor" reads the needed sections once and decodes nothing.
#
#   tests/bench/symbolize_bench.sh [-n RUNS] [-c COUNTS] OBJECT [DEBUG_FILE]
#
# DEBUG_FILE is where the symbols are read from (default: by build ID, else OBJECT itself). COUNTS:
# "1 1000 100000". TOOLS="floor llvm" leaves the slow ones out; FLOOR names sections_floor.
set -u
runs=5 counts="1 1000 100000"
while getopts n:c: option; do
	case $option in
	n) runs=$OPTARG ;;
	c) counts=$OPTARG ;;
	*) exit 64 ;;
	esac
done
shift $((OPTIND - 1))
here=$(dirname "$0")
object=${1:?usage: symbolize_bench.sh [-n RUNS] [-c COUNTS] OBJECT [DEBUG_FILE]}
build_id=$(readelf -n "$object" 2>/dev/null | sed -n 's/^ *Build ID: //p')
symbols=${2:-/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug}
[ -e "$symbols" ] || symbols=$object
stack2line=${STACK2LINE:-./stack2line}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

wanted() {
	[[ " ${TOOLS:-addr2line eu-addr2line floor llvm} " == *" $1 "* ]]
}

# The tools of this machine, a line each: name, tab, command that reads addresses from stdin.
tools() {
	printf 'stack2line\t%s --format=addr2line -f -i -C -e %s\n' "$stack2line" "$object"
	wanted addr2line && command -v addr2line >/dev/null && printf 'addr2line\taddr2line -f -i -C -e %s\n' "$object"
	wanted eu-addr2line && command -v eu-addr2line >/dev/null &&
		printf 'eu-addr2line\teu-addr2line -f -i -C -e %s\n' "$object"
	wanted floor && [ -x "${FLOOR:-}" ] && printf 'floor\t%s %s\n' "$FLOOR" "$symbols"
	wanted llvm || return 0
	for version in -22 -19 -16 -15 -14 ''; do
		command -v "llvm-symbolizer$version" >/dev/null || continue
		printf 'llvm-symbolizer%s\tllvm-symbolizer%s --output-style=GNU -f -i -C --obj=%s\n' \
			"$version" "$version" "$object"
		break
	done
}

# Appends "SECONDS KIBIBYTES" of one run to $work/NAME.
measure() {
	local name=$1 command=$2 start=$EPOCHREALTIME end
	# shellcheck disable=SC2086 # the command is several words
	taskset -c 0 /usr/bin/time -o "$work/time" -f '%M' $command <"$work/addresses" >"$work/out" 2>/dev/null
	end=$EPOCHREALTIME
	awk -v us="$((${end/./} - ${start/./}))" 'END { print us / 1e6, $1 }' "$work/time" >>"$work/$name"
}

# The median of column $2 of $work/NAME.
median() {
	sort -n -k "$2,$2" "$work/$1" | awk -v column="$2" '{ v[NR] = $column }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { print (b ? a / b : 0) }'
}

for count in $counts; do
	"$here/addresses.sh" "$symbols" "$count" >"$work/addresses"
	[ -s "$work/addresses" ] || {
		echo "symbolize_bench: no function symbols in $symbols" >&2
		exit 2
	}
	rm -f "$work"/tool-*
	for ((run = 0; run <= runs; run++)); do
		while IFS=$'\t' read -r name command; do
			measure "tool-$name" "$command"
			[ "$run" -gt 0 ] || rm -f "$work/tool-$name" # the first run only warms up
		done < <(tools)
	done
	printf '%s: %s addresses, %s runs\n' "$(basename "$object")" "$count" "$runs"
	ours=$(median tool-stack2line 1) our_size=$(median tool-stack2line 2)
	while IFS=$'\t' read -r name _; do
		printf '  %-20s %8.3f s  %8d KiB  stack2line takes %5.2f of its time, %5.2f of its memory\n' \
			"$name" "$(median "tool-$name" 1)" "$(median "tool-$name" 2)" \
			"$(ratio "$ours" "$(median "tool-$name" 1)")" \
			"$(ratio "$our_size" "$(median "tool-$name" 2)")"
	done < <(tools)
done
