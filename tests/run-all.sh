#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what the tests need and runs them: run-all.sh [--all]. Debian 12 or newer; root or sudo to
# install, root for what samples with BPF.
#
# The quick run is to end within 8 minutes on two cores (6 to 18 were measured): lint, unit tests and the
# corpora of all parsers with ASan and UBSan, and the scripts with what gcc makes. --all is the long run:
# full sizes, clang and sanitizers over the scripts too, clang-tidy, distcheck, fuzzing, a browser, today's
# tools, fresh machines.
#
# Tests run in what `make dist` packs, in a scratch directory: a file that is missing in the distribution
# fails its tests. No test runs twice. The last line is "N passed, N failed, N skipped"; the status is 0
# if none failed.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
export PATH=$PATH:/usr/sbin:/sbin:${HOME:-/root}/.cargo/bin
export LC_ALL=C
all=
case "$#:${1:-}" in
0:) ;;
1:--all) all=1 ;;
*)
	echo "usage: $0 [--all]" >&2
	exit 64
	;;
esac
export S2L_ALL=$all
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

# step NAME COMMAND…: one pass, failure, or skip (status 77). Prints what COMMAND printed if it did not pass.
step() {
	local name=$1 log="$work/step.log" status
	shift
	say "$name"
	"$@" >"$log" 2>&1
	status=$?
	case $status${S2L_NO_SKIP:+fail} in
	0*)
		passed=$((passed + 1))
		echo "ok: $name"
		;;
	77)
		skipped=$((skipped + 1))
		echo "skipped: $name: $(tail -n 1 "$log")"
		;;
	*)
		failed=$((failed + 1))
		grep -E '^(FAIL|XPASS|ERROR): ' "$log" # of tests, often far above the end
		tail -n 100 "$log"
		echo "FAILED: $name"
		return 1
		;;
	esac
}

# beside NAME COMMAND…: starts a step that runs while others do. `finish NAME` waits for its end and is the step.
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
	return "$(cat "$work/$1.status")"
}

give_up() {
	tally
	exit 1
}

# The files of the tree: what git knows, or, in an unpacked tarball, all but what a build makes.
tree_files() {
	if git -C "$top" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$top" ls-files -z --cached --others --exclude-standard |
			while IFS= read -r -d '' file; do
				[ ! -e "$top/$file" ] || printf '%s\0' "$file" # git lists deleted files too
			done
	else
		(cd "$top" && find . \( -path ./tests/made -o -path './stack2line-*' -o -name .deps \) -prune -o -type f \
			\( -path './tests/fixtures/*' -o -path './tests/fuzz/corpus/*' -o ! -name '*.[oa]' ! -name '*.log' ! -name '*.trs' \
			! -name config.status ! -name config.h ! -name stamp-h1 ! -name Makefile ! -path ./configure \) -print0)
	fi
}

copy_tree() {
	mkdir "$work/tree" && tree_files | tar -C "$top" --null -T - -cf - | tar -C "$work/tree" -xf -
}

# Makes what `make dist` packs as $work/source, for reading only.
distribute() {
	mkdir "$work/dist" && cd "$work/dist" &&
		"$work/tree/configure" --quiet --enable-werror CC=gcc && make distdir &&
		mv stack2line-* "$work/source" && chmod -R a-w "$work/source"
}

# build_in NAME OPTION… -- TARGET…: configures a build directory and makes the targets.
build_in() {
	local dir=$work/$1 target
	local -a options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	mkdir -p "$dir" && cd "$dir" && "$work/source/configure" --quiet --enable-werror "${options[@]}" || return
	# One after the other: "all" is made by a make of its own, which knows nothing of what another one is making.
	for target in "${@:2}"; do
		make -j"$jobs" "$target" || return
	done
}

# tests_in NAME JOBS TEST…: the names may be make's variables. Results are in the .trs files of the build
# directory. Fails if a test did or if none ran.
tests_in() {
	local dir=$work/$1 jobs=$2 suite=suite-${3//[^a-z_]/}.log
	shift 2
	# What the tests need was built: two of these at once must not build.
	S2L_ROOT=$own_root make -C "$dir" -j"$jobs" check-TESTS TESTS="$*" TEST_SUITE_LOG="$suite" check_PROGRAMS= check_LIBRARIES= check_DATA= &&
		[ -e "$dir/$suite" ]
}

# Adds the results of a build directory's tests; shows what failed, and why tests were skipped.
count_results() {
	local dir=$work/$1 results
	results=$(find "$dir" -name '*.trs' -exec grep -h '^:test-result:' {} +)
	[ "$results" ] || {
		failed=$((failed + 1))
		echo "FAILED: $1: no test ran"
	}
	passed=$((passed + $(grep -cE ' (PASS|XFAIL)' <<<"$results")))
	failed=$((failed + $(grep -cE ' (FAIL|XPASS|ERROR)' <<<"$results")))
	skipped=$((skipped + $(grep -c ' SKIP' <<<"$results")))
	# The logs of tests that failed, without what passed and bash's word of each process that a test killed
	find "$dir" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} + | while read -r name; do
		echo "--- $1: ${name#"$dir"/}"
		grep -vE '^(ok|PASS:) |: line [0-9]+: +[0-9]+ Killed ' "${name%.trs}.log" | head -n 100
	done
	find "$dir/tests" -name '*.log' -exec grep -H ' # SKIP ' {} + | sed "s|^$dir/tests/|skipped: |; s|\.log:.*# SKIP |: |" | sort | uniq -c
}

shell_scripts() {
	find . \( -path ./.git -o -path ./build-aux \) -prune -o -type f -print | grep -E '\.(sh|test|bash)$|^\./\.ci/run$'
}

# check_shell OPTION…
check_shell() {
	cd "$work/tree" && shell_scripts | xargs -d '\n' -n 20 -P "$jobs" shellcheck "$@"
}

# Other versions break lines elsewhere.
check_format() {
	local clang_format
	clang_format=$(command -v clang-format-14 || command -v clang-format || echo false)
	if ! "$clang_format" --version | grep -q ' 14\.'; then
		echo "formatting is that of clang-format 14, which is not installed"
		return 77
	fi
	cd "$work/tree" && find src cli tests -name '*.[ch]' -not -path 'tests/fixtures/*' -print0 |
		xargs -0 -n 100 -P "$jobs" "$clang_format" --dry-run -Werror
}

check_tidy() {
	cd "$work/tree" || return 1
	# What a build makes: there may be none yet.
	mkdir -p "$work/made/output/page" &&
		sh src/output/page/page.sh src/output/page >"$work/made/output/page/page.inc" || return 1
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE -Isrc "-I$work/made" "-I$work/gcc" -I. >compile_flags.txt
	find src cli -name '*.c' | sort |
		xargs -d '\n' -n 20 -P "$jobs" nice -n 19 clang-tidy --quiet --warnings-as-errors='*' 2>&1 |
		grep -vE '^[0-9]+ warnings? generated' | tee "$work/tidy.log"
	! grep -qiE '(warning|error):' "$work/tidy.log"
}

# The tests run in the distribution, as above; what remains is installing, removing and cleaning.
check_dist() {
	nice -n 19 make -C "$work/dist" distcheck TESTS= DISTCHECK_CONFIGURE_FLAGS="--enable-werror CC=gcc"
}

# Unit tests and corpora with sanitizers: they need none of the scripts' programs. -O1 and -g1 halve the build.
# LeakSanitizer takes 75 ms for each process that ends, so all tests of a program run in one, and memory that was
# freed is kept up to 8 MB.
# shellcheck disable=SC2016 # make's variables
check_sanitized() {
	build_in sanitized CC=gcc CFLAGS='-O1 -g1' --enable-sanitizers -- unit-tests &&
		CK_FORK=no ASAN_OPTIONS=quarantine_size_mb=8 tests_in sanitized "$jobs" '$(sanitized_tests)'
}

# scripts_in NAME LIST…: scripts that use the kernel one after the other (they hear of each other's BPF
# programs), and the rest beside them.
# shellcheck disable=SC2016
scripts_in() {
	local name=$1
	shift
	say "$name: scripts"
	beside "$name: scripts that need nothing of the kernel" tests_in "$name" 1 '$(plain_scripts)'
	step "$name: scripts that use the kernel" tests_in "$name" 1 "$@"
	finish "$name: scripts that need nothing of the kernel"
}

# shellcheck disable=SC2016
quick_run() {
	step "clang-format" check_format
	# Reading lib.sh once more a script is two thirds of the time: which variables it sets, the long run asks.
	beside "shellcheck" check_shell --exclude=SC1091,SC2034,SC2154
	step "gcc: builds without warnings" build_in gcc CC=gcc -- all script-programs || return
	beside "unit tests and corpora, with ASan and UBSan" check_sanitized
	scripts_in gcc '$(kernel_scripts)'
	finish "unit tests and corpora, with ASan and UBSan"
	finish "shellcheck"
	count_results gcc
	count_results sanitized
}

# shellcheck disable=SC2016
long_run() {
	step "clang-format" check_format
	step "shellcheck" check_shell --external-sources
	step "gcc: builds without warnings" build_in gcc CC=gcc -- all script-programs || return
	beside "clang-tidy" check_tidy
	beside "make distcheck" check_dist
	scripts_in gcc '$(kernel_scripts)' '$(long_scripts)'
	finish "clang-tidy"
	finish "make distcheck"
	count_results gcc
	step "clang: builds without warnings" build_in clang CC=clang --enable-sanitizers -- all unit-tests script-programs && {
		S2L_ALL='' scripts_in clang '$(kernel_scripts)'
		step "clang: unit tests and corpora" tests_in clang "$jobs" '$(sanitized_tests)'
		count_results clang
	}
	beside "fresh machines" "$top/tests/fresh.sh" --brief
	step "fuzz targets, some seconds each" build_in fuzz CC=clang --enable-fuzzers -- check-fuzz FUZZ_SECONDS=2
	step "flame graphs in a browser" make -C "$work/gcc" check-browser
	step "today's tools" make -C "$work/gcc" check-modern
	finish "fresh machines"
}

tests/install-deps.sh "$([ "$all" ] && echo all || echo test)" || {
	failed=1
	give_up
}
work=$(mktemp -d "${TMPDIR:-/tmp}/stack2line-all.XXXXXX") || exit 1
# The source is read-only, and distcheck leaves such directories when it fails.
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# Not in a chroot: checked once for all scripts, which would each start perl for it (tests/e2e/lib.sh).
own_root=1
! perl tests/e2e/own_root.pl --check || own_root=
# A version manager's python3 is a shell script that takes half a second: the system's comes first.
if [ -x /usr/bin/python3 ]; then
	mkdir "$work/bin" && ln -s /usr/bin/python3 "$work/bin"
	PATH=$work/bin:$PATH
fi

step "copy of the tree" copy_tree || give_up
step "autoreconf" autoreconf -fi "$work/tree" || give_up
step "make distdir" distribute || give_up
if [ "$all" ]; then
	long_run
else
	quick_run
fi
tally
[ "$failed" -eq 0 ]
