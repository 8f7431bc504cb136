# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of libbpf-tools share: the maps of a tool while it runs, in all forms and live, against
# what it prints of them. The process that it watches is idle by then. To be sourced after lib.sh; the test sets
#
#	watched		the program: prints its process ID, waits for a line, does what is counted, prints
#			"done", waits for the end of its input
#	launch TOOL ARG…	starts the tool, as the very process, with lines that are printed at once
#	dump_new ARG…	optional: a bpftool of another version, which is to say the same
#	read_more COUNTS STACKS	optional: other ways to read its maps
# shellcheck disable=SC2154 # watched

perl -MJSON::PP -e 1 2>/dev/null || skip_all_or_fail "no JSON::PP"
tool_stacks=$top_srcdir/tests/e2e/known_tools.pl
tool=
unit=1           # what stack2line says of one that the tool prints
stack_map=stackmap # its name
given=()         # options for stack2line
of_process=      # yes: with -p
let_print=       # seconds that the tool needs to print all

end_all() {
	[ -z "$tool" ] || { kill -INT "$tool" && wait "$tool"; } 2>/dev/null
	cleanup
}
trap 'is_script && end_all' EXIT

# The IDs of what the tool holds: maps, or programs.
ids_of() {
	sed -n "s/^$1_id:\t//p" "/proc/$tool/fdinfo/"* 2>/dev/null | sort -un
}

map_named() {
	local id
	for id in $(ids_of map); do
		bpftool map show id "$id" | grep -q " name $1 " && echo "$id"
	done
}

# attached: the tool does nothing but wait for its end, and attaching is the last thing that it does before; or it has
# ended.
attached() {
	has_ended "$tool" || { [ -n "$(ids_of link)" ] && [ -n "$(map_named "$stack_map")" ] && waits "$tool"; }
}

# stands_still: no thread of the watched process runs, or waits for a CPU to do so.
stands_still() {
	! sed 's/.*) //' "/proc/$target_pid"/task/*/stat | grep -qv '^S '
}

# start TOOL ARG…: it watches a process that then does what is counted, and is idle afterwards.
start() {
	coproc WATCHED { exec "$watched"; }
	watched_pid=${WATCHED_PID:?}
	exec {to_watched}>&"${WATCHED[1]}" {from_watched}<&"${WATCHED[0]}"
	eval "exec ${WATCHED[1]}>&-"
	read -r target_pid <&"$from_watched"
	launch "$1" -p "$target_pid" "${@:2}" >printed 2>&1 </dev/null &
	tool=$!
	await attached
	kill -0 "$tool" 2>/dev/null || return 1
	echo >&"$to_watched"
	read -r line <&"$from_watched"
	[ "$line" = "done" ] || return
	await stands_still # it has said so, but may be about to wait only
}

# Both end.
stop() {
	[ -z "$tool" ] || { kill -INT "$tool" && wait "$tool"; }
	tool=
	exec {to_watched}>&- {from_watched}<&-
	wait "$watched_pid"
}

# read_as NAME ARG…: what stack2line says, for the comparison at the end. The process is never another one.
declare -A said=()
read_as() {
	local name=$1
	shift
	timeout 60 "$STACK2LINE" --json ${of_process:+-p "$target_pid"} "${given[@]}" "$@" >samples 2>err
	said[$name]="status $?
$(perl "$tool_stacks" json "$unit" <samples)"
	[ "${said[$name]%%$'\n'*}" = "status 0" ] || diag "$name: $(head -n 3 err)"
	said[$name]+=$(grep -o '"pid":[0-9]*' samples | grep -vx "\"pid\":$target_pid" | sort -u)
}

# read_form NAME COUNTS STACKS SUFFIX: the dumps that end so.
read_form() {
	read_as "counts and stacks$1" "map$2$4" "map$3$4"
	read_as "all maps$1" map*[0-9]"$4"
}

# read_forms COUNTS STACKS: the dumps of all maps, in all forms, of all versions.
read_forms() {
	local form id other

	for form in "" -j -p; do
		other=
		for id in $(ids_of map); do
			bpftool ${form:+"$form"} map dump id "$id" >"map$id$form.dump"
			declare -F dump_new >/dev/null || continue
			dump_new ${form:+"$form"} map dump id "$id" >"map$id$form.new"
			cmp -s "map$id$form.new" "map$id$form.dump" || other=yes
		done
		read_form "${form:+, $form}" "$1" "$2" "$form.dump"
		[ -z "$other" ] || read_form ", new${form:+, $form}" "$1" "$2" "$form.new"
	done
}

# Its programs that have the map $1, of those with the same maps one.
programs_with() {
	local prog

	for prog in $(ids_of prog); do
		bpftool prog show id "$prog" | sed -n "s/.*map_ids \([0-9,]*\).*/\1 $prog/p"
	done | grep -E "(^|,)$1[, ]" | sort -u -k1,1 | cut -d' ' -f2
}

# read_all COUNTS: in every way.
read_all() {
	local counts stacks id prog
	local -a each=()

	counts=$(map_named "$1")
	stacks=$(map_named "$stack_map")
	said=()
	rm -f map*.dump map*.new
	read_forms "$counts" "$stacks"
	for id in $(ids_of map); do
		each+=(--map=id:"$id")
	done
	read_as "live, counts and stacks" --map=id:"$counts" --map=id:"$stacks"
	read_as "live, all maps" "${each[@]}"
	for prog in $(programs_with "$stacks"); do
		bpftool prog show id "$prog" | grep -qw "map_ids.*$counts" || continue
		read_as "live, prog:ID" --map=prog:"$prog"
		read_as "live, prog:ID/NAME" --map=prog:"$prog/$1" --map=prog:"$prog/$stack_map"
	done
	# Others may have maps of the same names.
	[ "$(bpftool map list | grep -cE " name ($1|$stack_map) ")" -ne 2 ] ||
		read_as "live, name:NAME" --map=name:"$1" --map=name:"$stack_map"
	! declare -F read_more >/dev/null || read_more "$counts" "$stacks"
}

# compare TOOL WHAT: each reading is what the tool printed.
compare() {
	local wanted name
	wanted="status 0
$(perl "$tool_stacks" "$1" <printed)"
	[ -n "${wanted#status 0?}" ]
	ok $? "$2: printed $(($(wc -l <<<"$wanted") - 1)) stacks"
	for name in "${!said[@]}"; do
		is "${said[$name]}" "$wanted" "$2: $name"
	done
}

# check TOOL COUNTS [ARG…]: the tools of today's kernels: each may find that its hooks are gone.
check() {
	local name=$1 counts=$2
	shift 2
	if start "$name" "$@"; then
		read_all "$counts"
		[ -z "$let_print" ] || sleep "$let_print"
		stop
		compare "$name" "$name${*:+ $*}${given[*]:+, ${given[*]}}"
	else
		stop 2>/dev/null
		skip_or_fail "it does not run on this kernel: $(tail -n 1 printed)" "$name"
	fi
}
