#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares stack2line with llvm-symbolizer on many addresses of large files: innermost file:line,
# and whole chains (every inlined function, every file:line). AGREEMENT.md says what the rest is.
#
#   tests/bench/agreement_bench.sh [-n COUNT] [-v] OBJECT [SYMBOLS]
#
# SYMBOLS is where function symbols are read from (default: OBJECT's debug file by build ID, else
# OBJECT). -v prints the addresses that differ, with both answers.
set -u
count=100000 verbose=0
while getopts n:v option; do
	case $option in
	n) count=$OPTARG ;;
	v) verbose=1 ;;
	*) exit 64 ;;
	esac
done
shift $((OPTIND - 1))
here=$(dirname "$0")
object=${1:?usage: agreement_bench.sh [-n COUNT] [-v] OBJECT [SYMBOLS]}
build_id=$(readelf -n "$object" 2>/dev/null | sed -n 's/^ *Build ID: //p')
symbols=${2:-/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug}
[ -e "$symbols" ] || symbols=$object
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for version in -22 -19 -16 -15 -14 ''; do
	llvm=llvm-symbolizer$version
	command -v "$llvm" >/dev/null && break
done
"$here/addresses.sh" "$symbols" "$count" | sort -u >"$work/addresses"
"${STACK2LINE:-./stack2line}" --format=addr2line -a -f -i -e "$object" \
	<"$work/addresses" >"$work/ours" || exit
"$llvm" --output-style=GNU --no-demangle -a -f -i --obj="$object" \
	<"$work/addresses" >"$work/theirs" || exit

# One line an address: address, tab, number of frames, then a tab and "function tab file:line" each.
chains() {
	sed -E 's/^0x0+([0-9a-f])/0x\1/; s/ \(discriminator [0-9]+\)$//; s/^\?\?:[0?]$/??/; s/:\?$/:0/' "$1" |
		awk '/^0x[0-9a-f]+$/ { if (line) print line; line = $0; next }
			{ line = line "\t" $0 }
			END { print line }'
}
chains "$work/ours" >"$work/ours.chains"
chains "$work/theirs" >"$work/theirs.chains"
paste -d '\n' "$work/ours.chains" "$work/theirs.chains" |
	awk -F '\t' -v verbose="$verbose" -v name="$(basename "$object")" '
		NR % 2 { n_ours = split($0, ours); our_line = $0; next }
		{
			total++
			if ($1 != ours[1]) {
				print "agreement_bench: the answers are out of step at " $1 >"/dev/stderr"
				exit 1
			}
			innermost = $3 == ours[3]
			# The last function is left out: llvm-symbolizer names it by the ELF symbol.
			chain = NF == n_ours
			for (i = 2; chain && i <= NF; i++)
				chain = i == NF - 1 || $i == ours[i]
			same_innermost += innermost
			same_chain += chain
			same_name += chain && $(NF - 1) == ours[NF - 1]
			unknown += $3 == "??" && ours[3] == "??"
			if (verbose && !chain)
				print our_line "\n" $0
		}
		END {
			printf "%s: %d addresses\n", name, total
			printf "  innermost file:line equal        %6d  %8.4f %%\n", same_innermost, 100 * same_innermost / total
			printf "  whole chain equal                %6d  %8.4f %%\n", same_chain, 100 * same_chain / total
			printf "  ... and outermost name as well   %6d  %8.4f %%\n", same_name, 100 * same_name / total
			printf "  no line from either              %6d\n", unknown
		}'
