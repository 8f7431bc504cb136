# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the end-to-end tests share: TAP output, a scratch directory, privilege probes, captures.
# A test sources this file, calls `ok`, `is` and so on, and ends with `finish`.
set -u
export LC_ALL=C
unset DEBUGINFOD_URLS # no test depends on the network

top_builddir=${abs_top_builddir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
top_srcdir=${abs_top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
STACK2LINE=${STACK2LINE:-$top_builddir/stack2line}
CC=${CC:-cc}

# True in the long run (tests/run-all.sh --all), where a script may take minutes and use bpftrace, Go and Rust.
thorough() {
	[ -n "${S2L_ALL:-}" ]
}

# In a chroot, unshare cannot make the root private, and files of other mount namespaces have paths of the system
# around it: there the script runs in a namespace whose root is this root (tests/e2e/own_root.pl).
if [ -z "${S2L_ROOT:-}" ] && perl "$top_srcdir/tests/e2e/own_root.pl" --check &&
	unshare --mount --propagation unchanged true 2>/dev/null; then
	S2L_ROOT=1 exec unshare --mount --propagation unchanged perl "$top_srcdir/tests/e2e/own_root.pl" bash "$0" "$@"
fi

tap_count=0
tap_failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-test.XXXXXX") || exit 99

cleanup() {
	capture_end
	rm -rf "$tmp"
}

# First in each trap on EXIT: bash also runs it in a child that a signal ends before it has executed its program.
# (There `[` may fail, as no command is looked up any more.)
is_script() {
	[ "$BASHPID" = $$ ]
}
trap 'is_script && cleanup' EXIT

diag() {
	local text=$*
	printf '# %s\n' "${text//$'\n'/$'\n# '}"
}

# ok STATUS NAME: passes when STATUS is 0.
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $2"
	return 1
}

# is GOT WANTED NAME: passes when the two texts are equal, and shows how they differ.
is() {
	[ "$1" = "$2" ]
	ok $? "$3" && return 0
	diff -u --label wanted --label got <(printf '%s\n' "$2") <(printf '%s\n' "$1") |
		head -n "${S2L_DIFF_LINES:-40}" | sed 's/^/# /'
	return 1
}

# skip_or_fail REASON NAME: a skip on a developer's machine, a failure where nothing may be skipped.
skip_or_fail() {
	if [ -n "${S2L_NO_SKIP:-}" ]; then
		ok 1 "$2 ($1)"
		return 0
	fi
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $2 # SKIP $1"
}

# Does the same for a package that only the long run installs: the quick run may skip it anywhere.
skip_uninstalled() {
	S2L_NO_SKIP=${S2L_ALL:+${S2L_NO_SKIP:-}} skip_or_fail "$@"
}

# As skip_or_fail, for the whole test, or for what is left of it. TAP says it in the plan, which counts what was
# printed before; automake takes a status of 77 for an error.
skip_all_or_fail() {
	if [ -n "${S2L_NO_SKIP:-}" ]; then
		ok 1 "can run at all ($1)"
		finish
	fi
	if [ "$tap_count" -gt 0 ]; then
		skip_or_fail "$1" "the rest"
		finish
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

# part COMMAND…: makes COMMAND's assertions beside those of other parts.
# parts_end: waits for all parts, then prints and counts their assertions.
parts=()
part() {
	"$@" >"$tmp/part${#parts[@]}" 2>&1 &
	parts+=($!)
}

parts_end() {
	local i line
	wait "${parts[@]}"
	for i in "${!parts[@]}"; do
		while IFS= read -r line; do
			case $line in
			"ok "* | "not ok "*)
				tap_count=$((tap_count + 1))
				[ "${line#not}" = "$line" ] || tap_failed=$((tap_failed + 1))
				echo "${line%%ok *}ok $tap_count ${line#*ok * }"
				;;
			*) printf '%s\n' "$line" ;;
			esac
		done <"$tmp/part$i"
	done
	parts=()
}

finish() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

# compiler ARG…: that of the build, of one word or several ("ccache gcc").
compiler() {
	# shellcheck disable=SC2086 # the words
	$CC "$@"
}

have() {
	command -v "$1" >/dev/null 2>&1
}

need_command() {
	local name
	for name in "$@"; do
		have "$name" || skip_all_or_fail "no $name"
	done
}

# The binary runs at its own speed: no sanitizer in it.
full_speed() {
	! grep -q __asan_init "$STACK2LINE"
}

need_root() {
	[ "$EUID" -eq 0 ] || skip_all_or_fail "needs root"
}

# without_debug_packages: goes on in a mount namespace without the system's debug files. Hundreds of runs of the program
# would each read that of the C library, of which these scripts need no line.
without_debug_packages() {
	[ -z "${S2L_WITHOUT_DEBUG:-}" ] && [ -d /usr/lib/debug ] && mounts_allowed || return 0
	rm -rf "$tmp"
	S2L_WITHOUT_DEBUG=1 exec unshare --mount --propagation private \
		sh -c 'mount -t tmpfs none /usr/lib/debug; exec bash "$@"' sh "$0" "$@"
}

# Processes can be followed: whoever may neither perf_event_open() nor more is told so by the recorder.
perf_events_allowed() {
	! "$STACK2LINE" record -a --no-kernel -o "$tmp/allowed" -- true 2>&1 | grep -q 'no permission to follow'
}

need_perf_events() {
	perf_events_allowed || skip_all_or_fail "perf events are not allowed here"
}

# The mappings of other users' processes can be read.
need_others_processes() {
	local pid status
	setpriv --reuid=65534 --regid=65534 --clear-groups sleep 100 &
	pid=$!
	await grep -q sleep "/proc/$pid/comm"
	head -c 1 "/proc/$pid/maps" >/dev/null 2>&1
	status=$?
	kill "$pid"
	wait "$pid" 2>/dev/null
	[ "$status" -eq 0 ] || skip_all_or_fail "other users' processes may not be inspected here"
}

# The kernel's links to mapped files can be followed.
map_files_allowed() {
	local links=(/proc/$$/map_files/*)
	head -c 1 "${links[0]}" >/dev/null 2>&1
}

mounts_allowed() {
	unshare --mount mount -t tmpfs none "$tmp" 2>/dev/null
}

need_mounts() {
	need_command unshare mount
	mounts_allowed || skip_all_or_fail "mounts are not allowed here"
}

# The program reads folded stacks and the text of other tools, and names frames in text.
has_pcre2() {
	! "$STACK2LINE" --version | grep -q '^without PCRE2'
}

need_pcre2() {
	has_pcre2 || skip_all_or_fail "built without PCRE2"
}

# The program reads maps of the running kernel.
has_libbpf() {
	! "$STACK2LINE" --version | grep -q '^without libbpf'
}

need_libbpf() {
	has_libbpf || skip_all_or_fail "built without libbpf"
}

# BPF programs can be loaded here, and the loader is built.
need_bpf() {
	capture=${S2L_CAPTURE:-$top_builddir/tests/bpf/capture}
	bpf_object=${S2L_BPF_OBJECT:-$top_builddir/tests/bpf/stacks.bpf.o}
	PATH=$PATH:/usr/sbin
	need_root
	need_command bpftool
	bpftool prog list >/dev/null 2>&1 || skip_all_or_fail "BPF is not allowed here"
	if [ ! -x "$capture" ] || [ ! -f "$bpf_object" ]; then
		skip_all_or_fail "tests/bpf/capture was not built: install clang and libbpf-dev"
	fi
}

# The number of the system call that the sampled programs make: that of newer machines, or that of x86-64.
# shellcheck disable=SC2034 # for the tests
getppid=173
# shellcheck disable=SC2034
[[ $HOSTTYPE != x86_64* ]] || getppid=110

# The programs of tests/bpf/workload.* do here what their CHAIN comments say. Those in C and C++ build for
# arm64 too, but what the kernel makes of their signal handler there is not in the comments.
need_workloads() {
	[[ $HOSTTYPE == x86_64* ]] || skip_all_or_fail "the stacks of the workloads are those of x86-64"
}

# on_each_cpu COMMAND…: runs it on one CPU after the other.
on_each_cpu() {
	local cpu
	for ((cpu = 0; cpu < $(nproc); cpu++)); do taskset -c "$cpu" "$@"; done
}

# on_one_cpu COMMAND…: for tracers, which are up to ten times as fast there, as no step wakes another CPU.
on_one_cpu() {
	taskset -c "$(awk '{ print $39 }' /proc/self/stat)" "$@"
}

# --- waiting --------------------------------------------------------------------------------

# await COMMAND…: waits until it succeeds, for 30 s at most; then a check fails.
await() {
	local tries
	for ((tries = 600; tries; tries--)); do
		! "$@" 2>/dev/null || return 0
		command sleep 0.05 # pages.test has a function of that name
	done
	tap_count=$((tap_count + 1))
	echo "not ok $tap_count - waited 30 s for: $*"
	return 1
}

# Conditions for it. waits PID: it does nothing but wait for input, events or time.
waits() {
	grep -qE 'poll|nanosleep|pipe_read|pause' "/proc/$1/wchan"
}

# has_settled FILE: a recorder identifies what it has mapped from now on. What was changed just before it is mapped is not
# identified once its process has ended (stack2line-record(1)).
has_settled() {
	[ "$(($(date +%s%N) - $(date -r "$1" +%s%N)))" -gt 40000000 ]
}

# has_lines FILE N: N or more.
has_lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

# has_ended PID…
has_ended() {
	! kill -0 "$@"
}

# runs PID PROGRAM: it has executed PROGRAM, an absolute path or a pattern.
runs() {
	# shellcheck disable=SC2053 # the pattern
	[[ "$(readlink "/proc/$1/exe")" == $2 ]]
}

# A recorder that is to lose nothing has this option: on a busy host it may wait a second for a CPU, and its buffer has
# to keep the events of that second.
export large_buffer=--buffer-size=8192

# recorded RECORDING PATTERN: it has such a line. A recording with a `proc` line has the state at its beginning.
recorded() {
	lines "$1" | grep -q "$2"
}

# --- fixtures -------------------------------------------------------------------------------

# Scripts share what they build, by the contents of the tests' sources; `make clean` removes it.
# fixture NAME COMMAND…: prints the path of NAME, a file or directory. If no script has made it before,
# COMMAND makes it, with the path to write as its last argument.
fixture() {
	local sum path
	sum=$(cat "$top_srcdir"/tests/{bpf,e2e}/*.{c,cc,rs,h,S,sh} 2>/dev/null | cksum)
	path=$top_builddir/tests/made/${sum// /}/$1
	shift
	mkdir -p "${path%/*}"
	(
		flock 9
		[ -e "$path" ] || { "$@" "$path.part" && mv "$path.part" "$path"; }
	) 9>"$path.lock" >&2 && echo "$path"
}

# demo_libc: prints the path of a file that stands for the C library of the recorded dump (tests/fixtures/demo), which
# only some machines have: its build ID, and the function that is at the offset in it.
demo_libc() {
	fixture libc.so.6 compile_demo_libc
}

# Of calls (call *%rax), so that what is there is a return address.
compile_demo_libc() {
	echo '.globl __libc_start_call_main; .type __libc_start_call_main, @function
		__libc_start_call_main: .fill 0x14000, 2, 0xd0ff; .size __libc_start_call_main, . - __libc_start_call_main' |
		compiler -shared -nostdlib -Wl,--build-id=0x93ac61ec5a8eb1396f9fbd350e3169a558528a40 -x assembler - -o "$1"
}

# beside COMMAND…: runs COMMAND in the background as soon as fewer jobs run than there are CPUs.
# `wait` waits for all of them.
beside() {
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
	"$@" &
}

# --- captures -------------------------------------------------------------------------------

declare -A map_id=()
capture_running=

# capture_start OPTIONS… -- CMD ARG…: loads the maps and starts CMD, which waits. Sets target_pid.
capture_start() {
	local word name id
	coproc CAPTURE {
		read -r # bash forgets the descriptors of one that has ended
		[ -z "${stack_limit:-}" ] || ulimit -s "$stack_limit"
		exec "$capture" --object "$bpf_object" "$@"
	}
	capture_running=$CAPTURE_PID
	exec {capture_out}<&"${CAPTURE[0]}" {capture_in}>&"${CAPTURE[1]}"
	eval "exec ${CAPTURE[1]}>&-"
	echo >&"$capture_in"
	map_id=()
	# shellcheck disable=SC2034 # target_pid is for the tests
	while read -r word name id <&"$capture_out"; do
		case $word in
		map) map_id[$name]=$id ;;
		pid) target_pid=$name ;;
		ready) return 0 ;;
		esac
	done
	return 1
}

# Lets CMD run, and returns when the counts are final.
capture_go() {
	local line
	echo go >&"$capture_in"
	read -r line <&"$capture_out" && [ "$line" = "done" ]
}

# capture_run OPTIONS… -- CMD ARG…: both. Once more with libraries elsewhere, below a larger stack, where two stacks want one
# slot: that is a matter of their addresses, and these of the host's files, as /etc/ld.so.cache is mapped before.
capture_run() {
	local stack_limit
	for stack_limit in "" 140000 150000 160000; do
		capture_end
		capture_start "$@" && capture_go || return
		dump counts -j | grep -q '"user":-17[,}]' || break
	done
}

capture_end() {
	[ -n "$capture_running" ] || return 0
	exec {capture_in}>&- {capture_out}<&-
	wait "$capture_running"
	capture_running=
}

# dump MAP [BPFTOOL-OPTION…]: what `bpftool map dump` says of a map of the capture.
dump() {
	local map=$1
	shift
	bpftool "$@" map dump id "${map_id[$map]}"
}

# few_symbols < folded: of the running kernel's symbols those that the folded stacks name, what follows each, and the first
# ones, which show whose they are. A run with --kallsyms of these does not read a hundred thousand.
few_symbols() {
	awk 'NR == FNR { sub(/ [0-9]+$/, ""); for (n = split($0, names, ";"); n; n--) wanted[names[n]]; next }
		$1 != address { if (keep || limit) printf "%s", group; limit = keep; keep = FNR <= 2000; group = ""; address = $1 }
		{ group = group $0 "\n"; if ($3 in wanted) keep = 1 }
		END { printf "%s", group }' - /proc/kallsyms
}

# lines RECORDING: its records, a line each.
lines() {
	"$STACK2LINE" record --print "$1"
}

# packed: the recording of the lines on stdin.
packed() {
	"$top_builddir/tests/unit/recording_tool"
}

# reads_back NAME ARG…: what --json prints of the arguments, with short names, read back, gives the same folded stacks.
reads_back() {
	local name=$1 how=(--folded --annotations --with-lines --with-objects --prefix=tid)
	shift
	"$STACK2LINE" --json --names=short "$@" >"$tmp/back.json" 2>/dev/null
	[ -s "$tmp/back.json" ] || diag "$name: no samples"
	is "$("$STACK2LINE" "${how[@]}" "$tmp/back.json" 2>"$tmp/back.err" | sort)" \
		"$("$STACK2LINE" "${how[@]}" "$@" 2>/dev/null | sort)" "$name: JSON reads back" ||
		diag "$(head -n 5 "$tmp/back.err")"
}

# --- programs with known stacks -------------------------------------------------------------

# chains SOURCE KIND: the CHAIN comments of a workload (see tests/bpf/workload.c), a chain a line:
# its count, then its frames, root first, as "NAME|LINE|inlined", tab-separated. LINE is empty
# where the source does not say it.
chains() {
	awk -v kind="$2" '
		NR == FNR {
			if (match($0, /\/\* AT [a-z_]+ \*\//))
				line[substr($0, RSTART + 6, RLENGTH - 9)] = FNR
			next
		}
		{ sub(/^ */, "") }
		match($0, /^(\/)?\* CHAIN /) {
			on = $3 == kind
			if (on)
				printf "%s", $4
			seen = on
			next
		}
		on && /^\*   / {
			text = substr($0, 5)
			inlined = sub(/ inlined$/, "", text) ? "inlined" : ""
			at = ""
			if (match(text, / @[a-z_]+$/)) {
				at = line[substr(text, RSTART + 2)]
				text = substr(text, 1, RSTART - 1)
			}
			printf "\t%s|%s|%s", text, at, inlined
			next
		}
		on { print ""; on = 0 }
	' "$1" "$1"
}

# chains_folded COMM < chains: the folded lines they make, sorted.
chains_folded() {
	awk -F '\t' -v comm="$1" '{
		out = comm
		for (i = 2; i <= NF; i++) {
			split($i, part, "|")
			out = out ";" part[1]
		}
		print out " " $1
	}' | sort
}

# from_root ROOT < folded: without what the C library and the language put above ROOT; lines that
# become equal are merged. Sorted.
from_root() {
	awk -v root=";$1;" '{
		count = $NF
		sub(/ [0-9]+$/, "")
		at = index($0, root)
		comm = index($0, ";")
		if (at)
			$0 = substr($0, 1, comm - 1) substr($0, at)
		sum[$0] += count
	} END {
		for (s in sum)
			print s " " sum[s]
	}' | sort
}

# without_kernel < folded: without the kernel's part of a system call, which must begin as it should.
without_kernel() {
	sed 's/;entry_SYSCALL_64[^ ]*;do_syscall_64;.* \([0-9]*\)$/ \1/'
}

# build LANGUAGE OUT: tests/bpf/workload.* as c-gcc, c-clang, cc-g++, cc-clang++, rust-legacy or rust-v0.
# Fails if the compiler is missing or too old for it.
build() {
	local program
	program=$(fixture "workload-$1" compile_workload "$1") && cp "$program" "$2"
}

# compile_workload LANGUAGE OUT
compile_workload() {
	local source=$top_srcdir/tests/bpf/workload
	local flags=(-g -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer)
	local rust=(--edition 2021 --crate-name workload -C force-frame-pointers=yes -g -O)

	case $1 in
	c-*) "${1#c-}" "${flags[@]}" "$source.c" -o "$2" ;;
	cc-*) "${1#cc-}" "${flags[@]}" "$source.cc" -o "$2" ;;
	rust-legacy) rustc "${rust[@]}" "$source.rs" -o "$2" ;;
	rust-v0) rustc "${rust[@]}" -C symbol-mangling-version=v0 "$source.rs" -o "$2" ;;
	esac >"$tmp/build.log" 2>&1 || {
		diag "$(cat "$tmp/build.log")"
		return 1
	}
}

# workload_source LANGUAGE
workload_source() {
	case $1 in
	c-*) echo "$top_srcdir/tests/bpf/workload.c" ;;
	cc-*) echo "$top_srcdir/tests/bpf/workload.cc" ;;
	rust-*) echo "$top_srcdir/tests/bpf/workload.rs" ;;
	esac
}
