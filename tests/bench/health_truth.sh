#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What stack2line says of stacks of frame pointers, against the truth: programs of four languages, built in many
# ways by the compilers that are there, are run by single steps beside a shadow stack (health_truth/tracer.c). Prints
# counts by build (health_truth/judge.py).
# health_truth.sh [STACKS [PATTERN]]: of each build, whose name matches PATTERN. CASES=FILE: what is wrong, case by case.
# LIBC=DIR: C and C++ run with the C library of the x86-64 system in DIR, as in fresh.sh's cache.
# BPF=1: the stacks are samples of a BPF program (needs root), that is those that a clock of 40 kHz takes between steps.
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_command gcc nm readelf python3
stacks=${1:-1500} pattern=${2:-.}
programs=$top_srcdir/tests/bench/health_truth
cases=${CASES:-/dev/null}
cd "$tmp" || exit 99
libc=()
[ -z "${LIBC:-}" ] || libc=("-Wl,--dynamic-linker=$LIBC/lib64/ld-linux-x86-64.so.2" "-Wl,-rpath,$LIBC/usr/lib/x86_64-linux-gnu")
sampler=()
if [ -n "${BPF:-}" ]; then
	need_root
	need_command clang
	clang -O2 -g -target bpf -I"/usr/include/$(gcc -print-multiarch)" -c "$programs/sampler.bpf.c" -o sampler.bpf.o || exit 1
	sampler=("$programs/sampler.c" -lbpf)
fi
gcc -O2 -Wall "$programs/tracer.c" "${sampler[@]}" -o tracer || exit 1

# One build: NAME THOUSANDS COMPILER ARG…. It takes about so many thousand steps. A name that ends in
# -stripped is of a program without symbols.
build() {
	local name=$1 every=$(($2 * 1000 / stacks))
	shift 2
	[[ $name =~ $pattern ]] || return 0
	have "$1" || { echo "$name: no $1" >&2; return 0; }
	case $1 in gcc | g++ | clang | clang++) set -- "$@" "${libc[@]}" ;; esac
	"$@" -o program 2>build.log || { echo "$name: not built: $(grep -m 1 -i error build.log)" >&2; return 0; }
	cp program unstripped
	case $name in *-stripped) strip program ;; esac
	mkdir -p out
	on_one_cpu timeout 1500 ./tracer "$every" "$stacks" out "
		cp /proc/\$PID/maps out/maps
		for guess in json guessed; do
			'$STACK2LINE' --json --stacks out/stacks.txt --counts out/counts.json \
				\$([ \$guess = json ] || echo --guess-callers) >out/\$guess 2>>errors
		done" ./program >/dev/null 2>>errors &&
		python3 "$programs/judge.py" "$name" out unstripped "$cases" >>table 2>>errors ||
		echo "$name: $(tail -n 1 errors)" >&2
	rm -rf out program unstripped
}

# Go's collector is off, which moves stacks at any time.
export GOMAXPROCS=1 GOGC=off GODEBUG=asyncpreemptoff=1
go_build() {
	CGO_ENABLED=0 GOCACHE=$tmp/gocache go build "$@" "$programs/program.go"
}

frames="-fno-omit-frame-pointer"
leaves="$frames -mno-omit-leaf-frame-pointer"
# Words that are options and file names.
# shellcheck disable=SC2086
build_all() {
	local cc level
	for cc in gcc clang; do
		for level in 0 1 2 3 s; do
			build "$cc-O$level" 100 $cc -O$level $program
			build "$cc-O$level-fp" 100 $cc -O$level $frames $program
		done
		build "$cc-O2-leaves" 100 $cc -O2 $leaves $program
		build "$cc-O2-fp-stripped" 100 $cc -O2 $frames $program
		build "$cc-O2-fp-static" 100 $cc -O2 $frames -static $program
		build "$cc-O2-fp-static-stripped" 100 $cc -O2 $frames -static $program
		build "$cc-O2-fp-notables" 100 $cc -O2 $frames -fno-asynchronous-unwind-tables -fno-unwind-tables $program
		build "$cc-O2-notables" 100 $cc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables $program
		build "$cc-O2-fp-nopie" 100 $cc -O2 $frames -no-pie $program
		build "$cc-O2-fp-32" 100 $cc -m32 -O2 $frames $program
		build "$cc-O2-32" 100 $cc -m32 -O2 $program
		build "$cc-O2-fp-lld" 100 $cc -O2 $frames -fuse-ld=lld $program
		build "$cc-O2-fp-asm" 100 $cc -O2 $frames -DASSEMBLER $program "$programs/assembler.S"
	done
	build gcc-O2-fp-32-static 100 gcc -m32 -O2 $frames -static $program
	build gcc-O2-fp-now 100 gcc -O2 $frames -Wl,-z,now $program
	build gcc-O2-fp-ibt 100 gcc -O2 $frames -fcf-protection $program
	build gcc-O2-fp-lto 100 gcc -O2 $frames -flto $program
	build gcc-O2-fp-threads 100 gcc -O2 $frames -DTHREADS=40 $program
	# A library with an entry point, which is in the middle of stacks.
	echo 'int program_main(void); int main(void) { volatile int status = program_main(); return status; }' >main.c
	gcc -O2 $frames -shared -fPIC -Dmain=program_main -Wl,-e,program_main $program -o libprogram.so
	build gcc-O2-fp-entry 100 gcc -g -O2 $frames main.c -L. -lprogram -Wl,-rpath,"$tmp"
	build musl-O2 100 musl-gcc -O2 $program
	build musl-O2-fp 100 musl-gcc -O2 $frames $program
	build musl-O2-fp-static 100 musl-gcc -O2 $frames -static $program
	build gcc-O2-asm-stripped 100 gcc -O2 -DASSEMBLER $program "$programs/assembler.S"
	for cc in g++ clang++; do
		build "$cc-O0" 120 $cc -std=c++17 -Wl,-z,now -O0 "$programs/program.cc" -pthread
		build "$cc-O2" 120 $cc -std=c++17 -Wl,-z,now -O2 "$programs/program.cc" -pthread
		build "$cc-O2-fp" 120 $cc -std=c++17 -Wl,-z,now -O2 $frames "$programs/program.cc" -pthread
	done
	build g++-O2-fp-static 120 g++ -std=c++17 -Wl,-z,now -O2 $frames "$programs/program.cc" -static -pthread
	build go 100 go_build
	build go-stripped 100 go_build
	build rust-O0 180 rustc --edition 2021 -Copt-level=0 "$programs/program.rs"
	build rust-O3 180 rustc --edition 2021 -Copt-level=3 "$programs/program.rs"
	build rust-O3-fp 180 rustc --edition 2021 -Copt-level=3 -Cforce-frame-pointers=yes "$programs/program.rs"
	build rust-O3-fp-static 180 rustc --edition 2021 -Copt-level=3 -Cforce-frame-pointers=yes \
		-Ctarget-feature=+crt-static "$programs/program.rs"
}

program="-g $programs/program.c -pthread"
build_all
python3 "$programs/judge.py" --total <table
