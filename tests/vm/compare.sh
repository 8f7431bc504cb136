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
	resolve --json "$@" | sed 's/},{/}\n{/g; s/"frames":\[{/\n{"address"/g' | awk '
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
slots "$saved/stacks.json" "$saved/counts.json" | sort -u | grep -v '^[a-z]* 0xffffffffff600' >"$tmp/slots"
grep -q 'object":"\[ext4\]"' <(resolve --json "$saved/stacks.json" "$saved/counts.json")
ok $? "stacks go through modules"
diag "$(wc -l <"$tmp/slots") distinct frames, objects: $(awk '{ print $3 }' "$tmp/slots" | sort | uniq -c | tr -s ' \n' ' ')"
is "$(grep -c ' \[kernel\] \| \[[a-z0-9_]*\] ' "$tmp/slots")" "$(wc -l <"$tmp/slots")" "each has an object"
grep -q '^below' "$tmp/slots"
ok $? "some are below interrupts"

# section ADDRESS MODULE: "NAME OFFSET" by the section addresses that were saved.
section() {
	local best=0 name= value path
	for path in "$saved/sys/module/$2/sections/".[a-z]*; do
		value=$(($(cat "$path")))
		case ${path##*/} in .init*) continue ;; esac
		# Kernel addresses are negative here, and compare as they should.
		if [ "$value" -le "$(($1))" ] && { [ "$best" -eq 0 ] || [ "$value" -gt "$best" ]; }; then
			best=$value name=${path##*/}
		fi
	done
	echo "$name $(printf '%x' $(($1 - best)))"
}

# Two lines a frame to one line.
flat() {
	sed 's/ (discriminator [0-9]*)//; s/:?$/:0/' | awk '{ printf "%s ", $0 } END { print "" }' |
		sed 's/ $//'
}
wanted_of() {
	local lookup=$1 object=$2 file where
	case $object in
	'[kernel]')
		"$symbolizer" --output-style=GNU -f -i -s --no-demangle -e "$vmlinux" \
			"$(printf '0x%x' $((lookup - slide)))" | grep -v '^$' | flat
		;;
	*)
		object=${object#[} object=${object%]}
		file=$(find "$debug/lib/modules/$release/kernel" -name "${object//_/[-_]}.ko" | head -n 1)
		where=$(section "$lookup" "$object")
		addr2line -f -i -s -j "${where% *}" -e "$file" "${where#* }" | flat
		;;
	esac
}

: >"$tmp/different"
n=0
n_kallsyms=0
while read -r how address object source text; do
	case $object in '[bpf]' | '[__builtin__'*) continue ;; esac
	lookup=$((address))
	[ "$how" != caller ] || lookup=$((lookup - 1))
	wanted=$(wanted_of "$lookup" "$object")
	# Where DWARF has no function kallsyms names it, and the line is all there is to compare.
	if [ "$source" = kallsyms ]; then
		n_kallsyms=$((n_kallsyms + 1))
		[ "${wanted##* }" = "${text##* }" ] && wanted=$text
	fi
	n=$((n + 1))
	[ "$text" = "$wanted" ] ||
		printf '%s %s %s %s\n wanted %s\n got    %s\n' "$how" "$address" "$object" "$source" \
			"$wanted" "$text" >>"$tmp/different"
done <"$tmp/slots"
is "$(cat "$tmp/different")" "" "$n distinct frames as llvm-symbolizer and addr2line have them"
diag "$n_kallsyms of them named by kallsyms, with the line of DWARF"

# ---- the same from a recording, and text dumps ---------------------------------------------------

"$STACK2LINE" --recording "$saved/recording" --kallsyms "$saved/proc/kallsyms" --sys "$saved/sys" \
	--folded "$saved/stacks.json" "$saved/counts.json" >"$tmp/by_kallsyms"
"$STACK2LINE" --recording "$saved/recording" --folded "$saved/stacks.json" "$saved/counts.json" \
	>"$tmp/by_recording"
is "$(cat "$tmp/by_recording")" "$(resolve --folded "$saved/stacks.json" "$saved/counts.json")" \
	"a recording made there resolves the same"
is "$(cat "$tmp/by_kallsyms")" "$(cat "$tmp/by_recording")" "--kallsyms and --sys, too"
is "$(resolve --folded "$saved/stacks.txt" "$saved/counts.json")" "$(cat "$tmp/by_recording")" "the text dump, too"

# ---- the stream ----------------------------------------------------------------------------------

diag "$(cat "$saved/stream")"
for round in 1 2; do
	address=$(sed -n "${round}p" "$saved/stream.asked")
	grep "^0x$address " "$saved/stream" | grep -q 'nbd_genl_status+0x0.*nbd'
	ok $? "round $round: a module that came while the stream ran is named"
done
