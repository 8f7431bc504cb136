#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole process that names one address of the running kernel: the best of five times, and the
# most memory it had, beside other tools that are installed. Needs root. perf goes from the name to
# the address: it has no command for the other way.
#
#   tests/bench/kallsyms_bench.sh
set -u
: "${STACK2LINE:=./stack2line}"
timer=/usr/bin/time
[ -x "$timer" ] || { echo "kallsyms_bench: no $timer" && exit 0; }
address=$(awk '$3 == "schedule" { print $1; exit }' /proc/kallsyms)
case ${address:-0} in
*[!0]*) ;;
*) echo "kallsyms_bench: kallsyms hides addresses" && exit 0 ;;
esac
measured=$(mktemp)
trap 'rm -f "$measured"' EXIT

# row NAME COMMAND…
row() {
	local name=$1
	shift
	command -v "$1" >/dev/null || return
	if ! "$@" 2>/dev/null | grep -q schedule; then
		printf '%-18s does not work here\n' "$name"
		return
	fi
	for _ in 1 2 3 4 5; do
		"$timer" -f '%e %M' -o "$measured" "$@" >/dev/null 2>&1
		tail -n 1 "$measured"
	done | awk -v name="$name" '
		NR == 1 || $1 < least { least = $1 }
		$2 > most { most = $2 }
		END { printf "%-18s %5.2f s %7.1f MB\n", name, least, most / 1024 }'
}

row stack2line "$STACK2LINE" -k "$address"
row bpftrace bpftrace -e "BEGIN { printf(\"%s\\n\", ksym(0x$address)); exit(); }"
row "perf kallsyms" perf kallsyms schedule
row blazecli blazecli symbolize kernel "0x$address"
