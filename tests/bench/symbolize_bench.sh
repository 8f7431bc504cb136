#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Times stack2line against the addr2lines there are, side by side: whole processes, functions,
# inlines and lines printed, the same addresses, the tools in turn so that a change of the
# machine's speed meets all of them. Prints medians and ratios; judges nothing.
#
#   tests/bench/symbolize_bench.sh [-n RUNS] [-c COUNTS] OBJECT [DEBUG_FILE]
#
# DEBUG_FILE is where the symbols are read from (default: by build ID, else OBJECT itself). COUNTS: "1 1000 100000".
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
object=${1:?usage: symbolize_bench.sh [-n RUNS] [-c COUNTS] OBJECT [DEBUG_FILE]}
build_id=$(readelf -n "$object" 2>/dev/null | sed -n 's/^ *Build ID: //p')
symbols=${2:-/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug}
[ -e "$symbols" ] || symbols=$object
stack2line=${STACK2LINE:-./stack2line}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# COUNT random addresses inside functions; the seed is fixed so that runs can be compared.
addresses() {
	nm -S --defined-only "$symbols" 2>/dev/null |
		awk -v count="$1" 'function hex(s,  i, n) {
				n = 0
				for (i = 1; i <= length(s); i++)
					n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
				return n
			}
			NF == 4 && $3 ~ /^[tT]$/ && hex($2) > 0 { start[n] = hex($1); size[n++] = hex($2) }
			END {
				srand(42)
				for (i = 0; n && i < count; i++) {
					j = int(rand() * n)
					printf "0x%x\n", start[j] + int(rand() * size[j])
				}
			}'
}

# The tools of this machine, a line each: name, tab, command that reads addresses from stdin.
tools() {
	printf 'stack2line\t%s --format=addr2line -f -i -C -e %s\n' "$stack2line" "$object"
	command -v addr2line >/dev/null && printf 'addr2line\taddr2line -f -i -C -e %s\n' "$object"
	command -v eu-addr2line >/dev/null &&
		printf 'eu-addr2line\teu-addr2line -f -i -C -e %s\n' "$object"
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
	/usr/bin/time -o "$work/time" -f '%M' $command <"$work/addresses" >"$work/out" 2>/dev/null
	end=$EPOCHREALTIME
	awk -v us="$((${end/./} - ${start/./}))" 'END { print us / 1e6, $1 }' "$work/time" >>"$work/$name"
}

# The median of column $2 of $work/NAME.
median() {
	sort -n -k "$2,$2" "$work/$1" | awk -v column="$2" '{ v[NR] = $column }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

for count in $counts; do
	addresses "$count" >"$work/addresses"
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
	ours=$(median tool-stack2line 1)
	while IFS=$'\t' read -r name _; do
		printf '  %-20s %8.3f s  %8d KiB  stack2line takes %5.2f of its time\n' "$name" \
			"$(median "tool-$name" 1)" "$(median "tool-$name" 2)" \
			"$(awk -v a="$ours" -v b="$(median "tool-$name" 1)" 'BEGIN { print (b ? a / b : 0) }')"
	done < <(tools)
done
