# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stack2line for bash. It needs nothing of the bash-completion package.

_stack2line_options='
	--stacks= --user-stacks= --kernel-stacks= --counts=
	--key= --key-layout= --value-layout= --event-layout= --columns=
	--build-id-map --address-map --explain --per-cpu=
	--map= --list-maps --clear --interval= --events= --save-dump=
	-e --exe= -j --section= -p --pid= -k --kernel -b --build-id=
	--debug-dir= --recording= --btf= --kallsyms= --vmlinux= --modules= --proc= --sys= --kept-files= --names= --qualify= --unwind= --pid-ns= --substitute-path= --sysroot= --trust= --without-finder=
	--debuginfod --debuginfod= --no-debuginfod --debuginfod-timeout= --debuginfod-budget= --debuginfod-max=
	--no-demangle --no-inlines
	--only= --without= --root= --collapse= --user-only --kernel-only --merge-threads --from= --until=
	--filter --filter= --filter-form= --format= --folded --annotated --json --prefix= -d --delimited --annotations
	--with-lines --with-objects --prototypes -s --basenames --path-strip= --source --source= --color --color= --why --health
	--top --top= --by= --order= --no-pager -o --output=
	--mark-lost --guess-callers
	--strict -q --quiet -v --verbose -? --help --help= --usage -V --version'

_stack2line_record_options='
	-p --pid= -a --all --only-cgroup= --only-pid-tree= -o --output= -d --duration= --once
	--buffer-size= --no-kernel --max-size= --max-age= --keep-files= --keep-size= --print= --proc= --sys= -? --help --help= --usage -V --version'

_stack2line_inspect_options='
	-b --build-id= --sframe --unwind --json --debug-dir= -? --help --help= --usage -V --version'

_stack2line_diff_options='
	--weights= --widths= --ignore-objects --old= --new= --old-recording= --new-recording='

# _stack2line_words CUR WORD...: the words that CUR begins.
_stack2line_words() {
	local cur=$1
	shift
	mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# The same for the last element of a list with commas.
_stack2line_list() {
	local cur=$1 before=
	shift
	[[ $cur != *,* ]] || before=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
	compopt -o nospace
}

# _stack2line_paths CUR [-d]: files, or directories.
_stack2line_paths() {
	mapfile -t COMPREPLY < <(compgen "${2:--f}" -- "$1")
	compopt -o filenames
}

# Process IDs. Where several are shown, each is followed by the process's name: the names are
# never inserted, since two process IDs differ before them.
_stack2line_pids() {
	local dir pid comm
	local -a pids=() shown=()
	for dir in /proc/"$1"*/; do
		pid=${dir%/}
		pid=${pid##*/}
		[[ $pid =~ ^[0-9]+$ ]] || continue
		read -r comm 2>/dev/null <"$dir/comm" || continue
		pids+=("$pid")
		shown+=("$pid ($comm)")
	done
	COMPREPLY=("${pids[@]}")
	# COMP_TYPE 37 and 42 put whole candidates on the line.
	if ((${#pids[@]} > 1)) && [[ ${COMP_TYPE:-9} != 37 && ${COMP_TYPE:-9} != 42 ]]; then
		COMPREPLY=("${shown[@]}")
	fi
}

# _stack2line_listed KIND: maps by id or name, processes that hold some by comm or pid, or programs that bpftool
# lists (all as root), each with a tab and what it is called.
_stack2line_listed() {
	case $1 in
	prog) bpftool prog list | sed -nE 's/^([0-9]+): .* name ([^ ]+).*/\1\t\2/p' ;;
	id) stack2line --list-maps | sed -nE 's/^([0-9]+)  +([^ ]+)  .*/\1\t\2/p' ;;
	name) stack2line --list-maps | sed -nE 's/^([0-9]+)  +([^ ]+)  .*/\2\t\1/p' ;;
	pid) stack2line --list-maps | sed -nE 's/^[0-9]+ .*  ([^ ].*) ([0-9]+), [0-9]+ [a-z]+ .*/\2\t\1/p' | sort -u ;;
	comm) stack2line --list-maps | sed -nE 's/^[0-9]+ .*  ([^ ].*) ([0-9]+), [0-9]+ [a-z]+ .*/\1\t\2/p' | sort -u ;;
	esac 2>/dev/null
}

# _stack2line_objects KIND CUR: what is listed that begins with CUR.
_stack2line_objects() {
	local value name
	local -a found=() shown=()
	while IFS=$'\t' read -r value name; do
		[[ $value == "$2"* ]] || continue
		printf -v value %q "$value"
		found+=("$value")
		shown+=("$value ($name)")
	done < <(_stack2line_listed "$1")
	COMPREPLY=("${found[@]}")
	if [[ $1 != name && $1 != comm && ${#found[@]} -gt 1 && ${COMP_TYPE:-9} != 37 && ${COMP_TYPE:-9} != 42 ]]; then
		COMPREPLY=("${shown[@]}")
	fi
}

# A live map: its kind, or what is of this kind.
_stack2line_map() {
	case $1 in
	id:* | name:* | prog:* | comm:* | pid:*)
		_stack2line_objects "${1%%:*}" "${1#*:}"
		COMPREPLY=("${COMPREPLY[@]/#/${1%%:*}:}")
		;;
	pinned:*)
		_stack2line_paths "${1#pinned:}"
		COMPREPLY=("${COMPREPLY[@]/#/pinned:}")
		;;
	*)
		_stack2line_words "$1" id: name: pinned: prog: comm: pid:
		compopt -o nospace
		;;
	esac
}

# Where ":" breaks words, --map=id:12 comes as the words --map, =, id, : and 12, and what is offered
# takes the place of the last one. Fails where this is not such a map.
_stack2line_map_part() {
	local at=$((COMP_CWORD - 1)) cur=${COMP_WORDS[COMP_CWORD]} kind
	[[ $cur != : ]] || { at=$COMP_CWORD cur=; }
	[[ $at -ge 2 && ${COMP_WORDS[at]} == : ]] || return 1
	kind=${COMP_WORDS[at - 1]}
	at=$((at - 2))
	[[ ${COMP_WORDS[at]} != = ]] || at=$((at - 1))
	[[ ${COMP_WORDS[at]} == --map || ${COMP_WORDS[at]} == --events ]] || return 1
	case $kind in
	id | name | prog | comm | pid) _stack2line_objects "$kind" "$cur" ;;
	pinned) _stack2line_paths "$cur" ;;
	esac
}

# Cgroups by the names that systemd gives them.
_stack2line_cgroups() {
	local root=/sys/fs/cgroup path
	[[ ! -d $root/unified ]] || root=$root/unified
	COMPREPLY=()
	for path in "$root/${1#/}"*/; do
		path=${path%/}
		[[ ! -d $path ]] || COMPREPLY+=("${path#"$root"}")
	done
	compopt -o filenames -o nospace
}

# _stack2line_record_value OPTION CUR: of `stack2line record`.
_stack2line_record_value() {
	case $1 in
	--only-cgroup) _stack2line_cgroups "$2" ;;
	--only-pid-tree | --pid | -p) _stack2line_pids "$2" ;;
	--output | -o | --print) _stack2line_paths "$2" ;;
	--keep-files | --proc | --sys) _stack2line_paths "$2" -d ;;
	--duration | -d | --buffer-size | --max-size | --max-age | --keep-size) COMPREPLY=() ;;
	--help) _stack2line_words "$2" all ;;
	*) return 1 ;;
	esac
}

# _stack2line_value OPTION CUR: fails for an option without value.
_stack2line_value() {
	case $1 in
	--stacks | --user-stacks | --kernel-stacks | --counts | --old | --new | --recording | --old-recording | --new-recording | --save-dump | --output | -o | --btf | --kallsyms | --vmlinux | --modules | --exe | -e)
		_stack2line_paths "$2"
		;;
	--debug-dir | --kept-files | --path-strip | --proc | --sys | --sysroot) _stack2line_paths "$2" -d ;;
	--pid | -p | --pid-ns) _stack2line_pids "$2" ;;
	--trust | --without-finder | --names | --qualify | --per-cpu | --filter | --format | --by | --only | --without | --prefix | --color | --unwind | --order | --weights | --widths)
		_stack2line_words "$2" "$(stack2line diff --words="${1#--}" 2>/dev/null)"
		;;
	--map | --events) _stack2line_map "$2" ;;
	--columns)
		_stack2line_list "$2" pid tid pid_tgid user kernel stack comm count time
		;;
	--key)
		_stack2line_list "$2" pid= tid= pid_or_tid= pid_tgid= user= kernel= stack= comm= waker= weight= time= length=
		;;
	--key-layout | --value-layout | --event-layout | --interval | --build-id | -b | --substitute-path | --filter-form)
		COMPREPLY=()
		;;
	--help) _stack2line_words "$2" all ;;
	*) return 1 ;;
	esac
}

_stack2line() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} option=
	local value=_stack2line_value options=$_stack2line_options
	COMPREPLY=()
	if [[ $COMP_CWORD -ge 2 && ${COMP_WORDS[1]} == record ]]; then
		value=_stack2line_record_value options=$_stack2line_record_options
	elif [[ $COMP_CWORD -ge 2 && ${COMP_WORDS[1]} == inspect ]]; then
		options=$_stack2line_inspect_options
	elif [[ $COMP_CWORD -ge 2 && ${COMP_WORDS[1]} == diff ]]; then
		# All but those for live maps.
		options=$_stack2line_diff_options${options/--map= --list-maps --clear --interval= --events= --save-dump=/}
	fi

	! _stack2line_map_part || return 0
	# Where "=" breaks words, --format=js comes as the three words --format, = and js.
	if [[ $cur == "=" ]]; then
		option=$prev
		cur=
	elif [[ $prev == "=" && $COMP_CWORD -ge 2 ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == --*=* ]]; then
		option=${cur%%=*}
		cur=${cur#*=}
		"$value" "$option" "$cur" || return 0
		COMPREPLY=("${COMPREPLY[@]/#/$option=}")
		return 0
	elif [[ $prev != --color && $prev != --filter && $prev != --help ]] && "$value" "$prev" "$cur"; then
		return 0
	fi
	if [[ -n $option ]]; then
		"$value" "$option" "$cur"
		return 0
	fi
	if [[ $cur == -* ]]; then
		_stack2line_words "$cur" "$options"
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
		return 0
	fi
	_stack2line_paths "$cur"
	if [[ $COMP_CWORD == 1 && -n $cur ]]; then
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'diff inspect record' -- "$cur")
	fi
}

complete -F _stack2line stack2line
