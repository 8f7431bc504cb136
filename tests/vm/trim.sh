#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a fixture of what the virtual machine saved: some stacks through modules and interrupts, and
# of /proc and /sys what these need.
#
#	trim.sh SAVED FIXTURE
set -eu
export LC_ALL=C
saved=$1 fixture=$2
stacks=28 slots=64 # as many stacks, of as many slots

mkdir -p "$fixture/proc/sys/kernel" "$fixture/sys/kernel"
cp "$saved/sys/kernel/notes" "$fixture/sys/kernel/"
cp "$saved/proc/modules" "$fixture/proc/"
cp "$saved/proc/sys/kernel/osrelease" "$fixture/proc/sys/kernel/"
sort -s -k1,1 "$saved/proc/kallsyms" >"$fixture/all"

# Stacks with module code or interrupts that the stacks before do not have.
sed 's/},{/}\n{/g' "$saved/stacks.json" | awk -v stacks="$stacks" -v slots="$slots" '
	FNR == NR {
		if ($3 ~ /^asm_(sysvec|exc|common)/)
			entry[$1] = 1
		else if (last in entry && !(last in end))
			end[last] = $1
		last = $1
		next
	}
	!/"value"/ { next }
	{
		key = $0
		sub(/.*"key":\[/, "", key)
		sub(/\].*/, "", key)
		value = $0
		sub(/.*"value":\[/, "", value)
		sub(/\].*/, "", value)
		n = split(value, byte, ",")
		new = depth = 0
		for (i = 1; i + 7 <= n; i += 8) {
			address = ""
			for (k = 7; k >= 0; k--)
				address = address substr(byte[i + k], 4, 2)
			if (address == "0000000000000000")
				continue
			depth++
			here[depth] = address
			wanted = address ~ /^ffffffffc/
			for (e in entry)
				wanted = wanted || (address >= e && address < end[e])
			new += wanted && !(address in seen)
		}
		if (new < 4 || depth >= slots || taken >= stacks)
			next
		for (i = 1; i <= depth; i++) {
			seen[here[i]] = 1
			print here[i] >"/dev/stderr"
		}
		short = byte[1]
		for (i = 2; i <= 8 * slots; i++)
			short = short "," byte[i]
		printf "%s{\"key\":[%s],\"value\":[%s]}", taken++ ? "," : "[", key, short
	}
	END { print "]" }' "$fixture/all" - >"$fixture/stacks.json" 2>"$fixture/addresses"

# The symbols at or before these addresses, and those that end them.
sort -u "$fixture/addresses" -o "$fixture/addresses"
awk 'FNR == NR { wanted[++n] = $1; next }
	function flush() { for (i = 1; i <= m; i++) print line[i] }
	$3 == "_stext" || $3 == "_text" { print; next }
	{
		if ($1 != last) {
			while (at < n && wanted[at + 1] < $1) { at++; hit = 1 }
			if (hit || keep_next)
				flush()
			keep_next = hit
			hit = m = 0
			last = $1
		}
		line[++m] = $0
	}
	END { if (keep_next) flush() }' "$fixture/addresses" "$fixture/all" >"$fixture/proc/kallsyms"
rm "$fixture/addresses" "$fixture/all"

sed -n 's/.*\t\[\([a-z0-9_]*\)\]$/\1/p' "$fixture/proc/kallsyms" | sort -u | while read -r module; do
	[ -d "$saved/sys/module/$module" ] || continue
	mkdir -p "$fixture/sys/module/$module/sections" "$fixture/sys/module/$module/notes"
	cp "$saved/sys/module/$module/coresize" "$fixture/sys/module/$module/"
	cp "$saved/sys/module/$module/sections/".*text* "$fixture/sys/module/$module/sections/"
	cp "$saved/sys/module/$module/notes/".note.gnu.build-id "$fixture/sys/module/$module/notes/"
done
