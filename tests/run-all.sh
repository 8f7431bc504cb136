#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Passes all tests, from installing what they need to `make distcheck`: gcc and clang with -Werror,
# the latter with ASan and UBSan, fuzz corpora, lint. Works in a scratch directory: a distribution is
# made of a copy of the tree, and what is built and tested is that distribution. Debian 12 or newer;
# root or sudo to install, root for what samples with BPF. The last line is
# "N passed, N failed, N skipped"; the status is 0 when none failed.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
export PATH=$PATH:/usr/sbin:/sbin:${HOME:-/root}/.cargo/bin
export LC_ALL=C
jobs=$(nproc)
passed=0
failed=0
skipped=0
declare -A beside=() # the PIDs of steps that run beside others

say() {
	printf '\n=== %s (%d s)\n' "$*" "$SECONDS"
}

tally() {
	echo "$passed passed, $failed failed, $skipped skipped"
}

# step NAME COMMAND…: one pass or failure. What it printed is shown when it failed.
step() {
	local name=$1 log=$work/step.log
	shift
	say "$name"
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok: $name"
		return 0
	fi
	failed=$((failed + 1))
	grep -E '^(FAIL|XPASS|ERROR): ' "$log" # of tests, which may stand far above the end
	tail -n 100 "$log"
	echo "FAILED: $name"
	return 1
}

# beside NAME COMMAND…: starts a step that runs while others do. finish NAME is the step: it waits, and
# prints what the command printed.
beside() {
	local name=$1
	shift
	(
		"$@" >"$work/$name.log" 2>&1
		echo $? >"$work/$name.status"
	) &
	beside[$name]=$!
}

finish() {
	step "$1" ended "$1"
}

ended() {
	wait "${beside[$1]}"
	cat "$work/$1.log"
	[ "$(cat "$work/$1.status")" = 0 ]
}

give_up() {
	tally
	exit 1
}

# The names on stdin, NUL-terminated, that are there: git lists deleted files too.
existing() {
	local file
	while IFS= read -r -d '' file; do
		[ ! -e "$top/$file" ] || printf '%s\0' "$file"
	done
}

copy_tree() {
	mkdir "$work/tree" || return
	if git -C "$top" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$top" ls-files -z --cached --others --exclude-standard
	else
		(cd "$top" && find . -type f ! -name '*.[oa]' ! -name '*.log' ! -name config.status \
			! -name Makefile ! -path ./configure -print0)
	fi | existing |
		tar -C "$top" --null -T - -cf - | tar -C "$work/tree" -xf -
}

# Unpacks what `make dist` makes as $work/source, for reading only: a file that is missing in the
# distribution fails its tests.
distribute() {
	mkdir "$work/dist" "$work/source" && cd "$work/dist" &&
		"$work/tree/configure" --quiet --enable-werror CC=gcc && make dist &&
		tar -C "$work/source" --strip-components=1 -xf "$work"/dist/stack2line-*.tar.xz &&
		chmod -R a-w "$work/source"
}

# configure NAME OPTION…
configure() {
	local dir=$work/$1
	shift
	mkdir -p "$dir" && cd "$dir" && "$work/source/configure" --quiet --enable-werror "$@"
}

# Adds the results of a build directory's tests, and shows what failed.
count_results() {
	local results
	results=$(find "$1" -name '*.trs' -exec grep -h '^:test-result:' {} +)
	passed=$((passed + $(grep -cE ' (PASS|XFAIL)' <<<"$results")))
	failed=$((failed + $(grep -cE ' (FAIL|XPASS|ERROR)' <<<"$results")))
	skipped=$((skipped + $(grep -c ' SKIP' <<<"$results")))
	# The logs of the tests that failed; these have only those.
	if grep -qE ' (FAIL|XPASS|ERROR)' <<<"$results"; then
		cat "$1"/{test-suite,beside,again}.log 2>/dev/null | grep -vE '^(ok |PASS: )' | head -n 300
	fi
	grep -h ' # SKIP ' "$1/test-suite.log" "$1"/tests/*/*.log 2>/dev/null | sort -u
}

# tests_in DIRECTORY LOG TEST…: results are in its .trs files.
tests_in() {
	local dir=$1 log=$2
	shift 2
	rm -f "$dir/$log"
	make -C "$dir" check TESTS="$*" TEST_SUITE_LOG="$log"
	[ -e "$dir/$log" ]
}

# once_more DIRECTORY: a script or two that failed run again, alone, up to twice, and count as they end then: a busy machine
# does to them what no change did. What failed is printed first, and is to be mended. Not what a sanitizer found.
once_more() {
	local dir=$1 name
	local -a names
	mapfile -t names < <(cd "$dir" && find tests -name '*.trs' -exec grep -lE '^:test-result: (FAIL|ERROR)' {} +)
	[ "${#names[@]}" -gt 0 ] && [ "${#names[@]}" -le 2 ] || return 0
	for name in "${names[@]%.trs}"; do
		[ -e "$work/source/$name.test" ] || continue
		! grep -qE 'Sanitizer|runtime error:' "$dir/$name.log" || continue
		say "$(basename "$dir"): $name failed, once more"
		grep -A 20 '^not ok' "$dir/$name.log"
		for _ in 1 2; do
			tests_in "$dir" again.log "$name.test" >/dev/null 2>&1
			grep -qE '^:test-result: (FAIL|ERROR)' "$dir/$name.trs" || break
		done
	done
}

# check_in NAME: builds everything, then tests: what is done to the kernel one after the other, and the rest beside it.
check_in() {
	local dir=$work/$1
	step "$1: builds without warnings" make -C "$dir" -j"$jobs" all || return
	step "$1: tests build without warnings" make -C "$dir" -j"$jobs" check TESTS= || return
	say "$1: make check"
	# shellcheck disable=SC2016 # make's variables
	beside "$1: tests beside others" tests_in "$dir" beside.log '$(unit_tests)' '$(plain_scripts)'
	# shellcheck disable=SC2016
	tests_in "$dir" test-suite.log '$(kernel_scripts)' 2>&1 | grep -E '^(FAIL|XPASS|XFAIL|ERROR|SKIP|# [A-Z]+:)' || true
	finish "$1: tests beside others"
	once_more "$dir"
	[ -n "$(find "$dir" -name '*.trs')" ] || {
		failed=$((failed + 1))
		echo "FAILED: $1: no test ran"
	}
	count_results "$dir"
}

shell_scripts() {
	find . \( -path ./.git -o -path ./build-aux \) -prune -o -type f -print | while read -r file; do
		case $file in
		*.sh | *.test | *.bash | ./.ci/run) echo "$file" ;;
		esac
	done
}

check_shell() {
	cd "$work/tree" && shell_scripts | xargs -d '\n' shellcheck
}

# Other versions break lines elsewhere.
check_format() {
	cd "$work/tree" || return 1
	case $(clang-format --version) in
	*' 14.'*) ;;
	*)
		echo "clang-format is not version 14: formatting was not checked"
		return 0
		;;
	esac
	find src cli tests -name '*.[ch]' -not -path 'tests/fixtures/*' -print0 |
		xargs -0 clang-format --dry-run -Werror
}

check_tidy() {
	renice -n 19 -p "$BASHPID" >/dev/null # what it waits for is nothing
	cd "$work/tree" || return 1
	# What a build makes: there may be none yet.
	mkdir -p "$work/made/output" &&
		sh src/output/flamegraph.sh src/output >"$work/made/output/flamegraph.inc" || return 1
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE -Isrc "-I$work/made" "-I$work/gcc" -I. >compile_flags.txt
	find src cli -name '*.c' | sort |
		xargs -d '\n' -n 20 clang-tidy --quiet --warnings-as-errors='*' 2>&1 |
		grep -vE '^[0-9]+ warnings? generated' | tee "$work/tidy.log"
	! grep -qiE '(warning|error):' "$work/tidy.log"
}

tests/install-deps.sh test || {
	failed=1
	give_up
}
work=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-all.XXXXXX") || exit 1
# The source is read-only, and distcheck leaves such directories when it fails.
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

step "copy of the tree" copy_tree || give_up
step "autoreconf" autoreconf -fi "$work/tree" || give_up
step "shellcheck" check_shell
step "clang-format" check_format
step "make dist" distribute || give_up
# One after the other: the tests share one kernel, and hear of each other's programs.
step "configure with gcc" configure gcc CC=gcc
beside clang-tidy check_tidy
# The tests run in the distribution, as above; what remains is installing, removing and cleaning.
beside "make distcheck" nice -n 19 make -C "$work/dist" distcheck TESTS= \
	DISTCHECK_CONFIGURE_FLAGS="--enable-werror CC=gcc"
check_in gcc
step "configure with clang and sanitizers" configure clang CC=clang --enable-sanitizers &&
	check_in clang
finish clang-tidy
finish "make distcheck"
# Beyond the replay of what was found before, which is part of make check.
step "configure the fuzzers" configure fuzz CC=clang --enable-fuzzers &&
	step "fuzz targets, some seconds each" make -C "$work/fuzz" -j"$jobs" check-fuzz FUZZ_SECONDS=2
tally
[ "$failed" -eq 0 ]
