# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The second half of kernel.sh: what the machine saved, in $saved.
# shellcheck disable=SC2154 # saved, vmlinux, debug, release, symbolizer are kernel.sh's

resolve() {
	"$STACK2LINE" --proc "$saved/proc" --sys "$saved/sys" "$@"
}

address_of() {
	awk -v name="$1" '$3 == name && NF == 3 { print $1; exit }' "$saved/proc/kallsyms"
}

slide=$((0x$(address_of _stext) - 0x$(nm "$vmlinux" | awk '$3 == "_stext" { print $1 }')))
diag "KASLR slide $(printf '%x' "$slide")"
[ "$slide" -ne 0 ]
ok $? "KASLR moved the kernel"

# ---- every distinct frame ------------------------------------------------------------------------

# One line a slot: "leaf|caller|below ADDRESS OBJECT FUNCTION FILE:LINE FUNCTION FILE:LINE ...", with
# what llvm-symbolizer and addr2line print of it: names without directories, 0 for no line.
slots() {
	resolve --json "$@" 2>/dev/null | sed 's/},{/}\n{/g; s/"frames":\[{/\n{"address"/g' | awk '
		function field(name,   m) {
			if (!match($0, "\"" name "\":(\"([^\"\\\\]|\\\\.)*\"|[0-9]+|true|false)"))
				return ""
			m = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
			gsub(/^"|"$/, "", m)
			return m
		}
		/"schema"/ { how = "leaf" }
		/"kind":/ {
			file = field("file")
			sub(/.*\//, "", file)
			line = field("line")
			text = text " " field("function") " " (file == "" ? "??" : file) ":" (line == "" ? 0 : line)
			if (field("inlined") == "true")
				next
			print how, field("address"), field("object"), field("source"), text
			linkage = field("linkage")
			how = linkage ~ /^asm_(sysvec|exc|common_interrupt|spurious_interrupt)/ ? "below" : "caller"
			text = ""
		}'
}
slots "$saved/stacks.json" "$saved/counts.json" | sort -u |
	grep -vE '^[a-z]* 0xffffffffff600|^leaf +\?\?:0$' >"$tmp/slots" # vsyscall; lost stacks
grep -q 'object":"\[ext4\]"' <(resolve --json "$saved/stacks.json" "$saved/counts.json" 2>/dev/null)
ok $? "stacks go through modules"
diag "$(wc -l <"$tmp/slots") distinct frames, objects: $(awk '{ print $3 }' "$tmp/slots" | sort | uniq -c | tr -s ' \n' ' ')"
is "$(grep -vE ' \[[a-z0-9_]+\] ' "$tmp/slots")" "" "each has an object"
grep -q '^below' "$tmp/slots"
ok $? "some are below interrupts"

# sections MODULE: "ADDRESS NAME" by address, as saved; what .init sections were is not the module's.
sections() {
	local path
	for path in "$saved/sys/module/$1/sections/".[a-z]*; do
		case ${path##*/} in .init*) ;; *) echo "$(cat "$path") ${path##*/}" ;; esac
	done | sort
}

# One line an answer: names and lines, innermost first. Answers begin with their address.
flat() {
	sed -E 's/ \(discriminator [0-9]*\)//; s/:\?$/:0/' |
		awk '/^0x/ { if (NR > 1) print line; line = ""; next }
			NF { line = line (line == "" ? "" : " ") $0 } END { print line }'
}

# Suffixes that symbols have and DWARF does not.
suffixes='s/(\.(isra|constprop|part|cold)(\.[0-9]+)*)+ / /g'

# wanted OBJECT FILE: the answers for the lookup addresses in FILE, a line each.
wanted() {
	local object=$1 file lookup value name best at
	if [ "$object" = '[kernel]' ]; then
		while read -r lookup; do
			printf '0x%x\n' $((lookup - slide))
		done <"$2" | "$symbolizer" --output-style=GNU -a -f -i -s --no-demangle -e "$vmlinux" | flat
		return
	fi
	object=${object#[} object=${object%]}
	file=$(find "$debug/lib/modules/$release/kernel" -name "${object//_/[-_]}.ko" | head -n 1)
	sections "$object" >"$tmp/sections"
	while read -r lookup; do
		best='' at=0
		# Kernel addresses are negative here, and compare as they should.
		while read -r value name; do
			[ $((value)) -gt $((lookup)) ] || best=$name at=$((value))
		done <"$tmp/sections"
		printf '%s %x\n' "$best" $((lookup - at))
	done <"$2" >"$tmp/offsets"
	while read -r name value; do
		addr2line -a -f -i -s -j "$name" -e "$file" "$value" | flat
	done <"$tmp/offsets"
}

# inner ANSWER: all but the outermost function's name and line.
inner() {
	case $1 in *' '*' '*) echo "${1% * *}" ;; esac
}

# same_place ANSWER ANSWER: alike but for the outermost name, and these are names of one address.
same_place() {
	local a=${1% *} b=${2% *}
	[ "$(inner "$1")" = "$(inner "$2")" ] && [ "${1##* }" = "${2##* }" ] &&
		[ "$(awk -v a="${a##* }" -v b="${b##* }" '$3 == a || $3 == b { n[$1]++ }
			END { for (i in n) if (n[i] == 2) print i }' "$saved/proc/kallsyms")" ]
}

: >"$tmp/different"
n=0
n_kallsyms=0
while read -r object; do
	case $object in '[bpf]' | '[__builtin__'*) continue ;; esac
	grep -F " $object " "$tmp/slots" >"$tmp/of_object"
	while read -r how address _; do
		[ "$how" = caller ] && echo $((address - 1)) || echo $((address))
	done <"$tmp/of_object" >"$tmp/lookups"
	wanted "$object" "$tmp/lookups" >"$tmp/wanted"
	[ "$(wc -l <"$tmp/wanted")" -eq "$(wc -l <"$tmp/of_object")" ] || echo "$object: answers are missing" >>"$tmp/different"
	while read -r how address _ source text; do
		read -r wanted <&3
		text=$(sed -E "$suffixes" <<<"$text")
		wanted=$(sed -E "$suffixes" <<<"$wanted")
		n=$((n + 1))
		# Where DWARF has no function kallsyms names it, and the line is all there is to compare.
		if [ "$source" = kallsyms ]; then
			n_kallsyms=$((n_kallsyms + 1))
			[ "${wanted##* }" = "${text##* }" ] && wanted=$text
		fi
		[ "$text" = "$wanted" ] || same_place "$text" "$wanted" ||
			printf '%s %s %s %s\n wanted %s\n got    %s\n' "$how" "$address" "$object" \
				"$source" "$wanted" "$text" >>"$tmp/different"
	done <"$tmp/of_object" 3<"$tmp/wanted"
done < <(awk '{ print $3 }' "$tmp/slots" | sort -u)
is "$(cat "$tmp/different")" "" "$n distinct frames as llvm-symbolizer and addr2line have them"
diag "$n_kallsyms of them named by kallsyms, with the line of DWARF"

# ---- the same from a recording, and text dumps ---------------------------------------------------

"$STACK2LINE" --recording "$saved/recording" --kallsyms "$saved/proc/kallsyms" --sys "$saved/sys" \
	--folded "$saved/stacks.json" "$saved/counts.json" >"$tmp/by_kallsyms" 2>/dev/null
"$STACK2LINE" --recording "$saved/recording" --folded "$saved/stacks.json" "$saved/counts.json" \
	>"$tmp/by_recording" 2>/dev/null
is "$(cat "$tmp/by_recording")" "$(resolve --folded "$saved/stacks.json" "$saved/counts.json" 2>/dev/null)" \
	"a recording made there resolves the same"
is "$(cat "$tmp/by_kallsyms")" "$(cat "$tmp/by_recording")" "--kallsyms and --sys, too"
is "$(resolve --folded "$saved/stacks.txt" "$saved/counts.json" 2>/dev/null)" "$(cat "$tmp/by_recording")" \
	"the text dump, too"

# ---- the stream ----------------------------------------------------------------------------------

diag "$(cat "$saved/stream")"
for round in 1 2; do
	address=$(sed -n "${round}p" "$saved/stream.asked")
	grep "^0x$address " "$saved/stream" | grep -q 'nbd_genl_status+0x0.*nbd'
	ok $? "round $round: a module that came while the stream ran is named"
done
