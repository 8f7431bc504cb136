#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rows of `make bench`: whole runs of stack2line beside others on the same work, checked and timed by
# measure.py. Most of them need root and BPF.
#
#	bench.sh [OBJECT…]
#
# BENCH_ROWS       some of: addresses kernel live growth streams snapshots day diff
# BENCH_PEERS      further tools for addresses, NAME=COMMAND a line, {object} being the file; they read addresses
#                  and print what addr2line -a -f -i -C does
# STACK2LINE_BEFORE  another stack2line, whose output should be the same; BENCH_BEFORE: which one it is
# BENCH_LINES      where the results are kept, so that a run that was stopped can go on with other rows
# BENCH_RESULTS    the folder for RESULTS.md and growth.svg
# BENCH_RUNS, BENCH_SECONDS, BENCH_TIMEOUT: see measure.py; BENCH_COUNTS, BENCH_DRAWS: how many addresses
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export ONCE=${ONCE:-$top_builddir/tests/bench/once} TMPDIR=$tmp
bench=$top_srcdir/tests/bench
results=${BENCH_LINES:-$tmp/results}
layout='u32 pid; u32 none; u64 ustack[4]'
need_command python3 gcc

measure() {
	python3 "$bench/measure.py" "$@"
}

row() {
	measure run "$results" --row "$@"
}

# ours ARGUMENTS: this stack2line, and the one before it.
ours() {
	tools=("stack2line=$STACK2LINE $1")
	[ -z "${STACK2LINE_BEFORE:-}" ] || tools+=("before=$STACK2LINE_BEFORE $1")
}

# the_llvm: the newest llvm-symbolizer.
the_llvm() {
	compgen -c llvm-symbolizer | sort -t - -k 3,3 -n -u | tail -n 1
}

# debug_file OBJECT: where its symbols are.
debug_file() {
	local id file
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p')
	file=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[ -e "$file" ] || file=$1
	echo "$file"
}

# peers OBJECT
peers() {
	local peer
	have "$(the_llvm)" && tools+=("$(the_llvm)=$(the_llvm) --output-style=GNU -a -f -i -C --obj=$1")
	have addr2line && tools+=("addr2line=addr2line -a -f -i -C -e $1")
	have eu-addr2line && tools+=("eu-addr2line=eu-addr2line -a -f -i -C -e $1")
	while read -r peer; do
		[ -z "$peer" ] || tools+=("${peer//\{object\}/$1}")
	done <<<"${BENCH_PEERS:-}"
}

# addresses OBJECT
addresses() {
	local name symbols count how rate what
	name=$(basename "$1") symbols=$(debug_file "$1")
	nm -C "$symbols" >"$tmp/symbols"
	for count in ${BENCH_COUNTS:-1 1000 100000}; do
		what="$name: $count addresses" how=() rate=(--rate addresses)
		[ "$count" != 1 ] || what="$name: one address" how=(--draws "${BENCH_DRAWS:-30}") rate=()
		"$bench/addresses.sh" "$symbols" "${how[1]:-$count}" >"$tmp/addresses"
		how+=(--input "$tmp/addresses" --answers "$(wc -l <"$tmp/addresses")" --x "$count")
		ours "--format=addr2line -a -f -i -C -e $1"
		peers "$1"
		row "$what" "${how[@]}" --series "addresses of $name" "${rate[@]}" "${tools[@]}" \
			"(floor)=$top_builddir/tests/bench/sections_floor $symbols"
		# No other tool has names without lines: they are compared with those of a whole answer.
		ours "--folded --no-inlines -e $1"
		tools+=("stack2line, all=$STACK2LINE --format=addr2line -a -f -i -C -e $1")
		have "$(the_llvm)" && tools+=("$(the_llvm), all=$(the_llvm) --output-style=GNU -a -f -i -C --obj=$1")
		row "$what, --no-inlines" "${how[@]}" --aliases "$tmp/symbols" "${tools[@]}"
	done
	sentinels "$1" "$name" "$symbols"
}

# sentinels OBJECT NAME SYMBOLS: what perf and pprof send: after each address one that no file has, so that its answer
# marks the end; at once, and one by one.
sentinels() {
	"$bench/addresses.sh" "$3" 1000 2>/dev/null | sed 's/$/\n,/' >"$tmp/asked"
	ours "--format=addr2line -a -f -i -C -e $1"
	have addr2line && tools+=("addr2line=addr2line -a -f -i -C -e $1")
	row "$2: 1000 addresses, a sentinel after each" --input "$tmp/asked" --answers 2000 "${tools[@]}"
	ours "--format=addr2line -a -f -i -C -e $1"
	row "$2: from an address to its answer (wall)" --latency --input "$tmp/asked" --match 0x "${tools[@]}"
	echo , >"$tmp/asked"
	row "$2: a sentinel alone" --input "$tmp/asked" --match '[?][?]' "${tools[@]}"
}

kernel() {
	local address
	address=$(awk '$3 == "schedule" { print $1; exit }' /proc/kallsyms)
	case ${address:-0} in
	*[!0]*) ;;
	*) echo "kernel: kallsyms hides addresses" && return ;;
	esac
	ours "-k $address"
	# perf goes from the name to the address: it has no command for the other way.
	have perf && tools+=("perf kallsyms=perf kallsyms schedule")
	have bpftrace && tools+=("bpftrace=bpftrace -e 'BEGIN { printf(\"%s\\n\", ksym(0x$address)); exit() }'")
	have blazecli && tools+=("blazecli=blazecli symbolize kernel 0x$address")
	row "one address of the kernel" --match schedule "${tools[@]}"
}

# shape NAME PROGRAM ARGUMENT…: full stack maps (16,384 stacks) and their counts. IDs are hashes, so it takes some
# ten times as many stacks until each of 16,384 places is taken.
shape() {
	local name="full stack map, $1" program=$2 dumps dumps_json map format
	shift 2
	compiler -g -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -mno-red-zone \
		"$bench/$program.c" -o "$tmp/$program" || exit 1
	capture_start --uprobe "$tmp/$program:probe_point" --entries 32768 -- "$tmp/$program" "$@" &&
		capture_go || exit 1
	map="--map id:${map_id[counts]} --map id:${map_id[stacks]}"
	dumps="bpftool map dump id ${map_id[counts]}; bpftool map dump id ${map_id[stacks]};"
	dumps_json=${dumps//bpftool/bpftool -j}
	ours "--folded $map"
	# The helper threads start only where there is a second CPU.
	row "$name, read from the kernel" --same "${tools[@]}" \
		"stack2line, all CPUs=taskset -c 0-$(($(nproc --all) - 1)) $STACK2LINE --folded $map" \
		"bpftool -j, stack2line={ $dumps_json } | $STACK2LINE --folded" \
		"bpftool, stack2line={ $dumps } | $STACK2LINE --folded" \
		"(bpftool -j)={ $dumps_json } >/dev/null" "(bpftool)={ $dumps } >/dev/null"
	bash -c "$dumps_json" >"$tmp/json"
	bash -c "$dumps" >"$tmp/text"
	for format in text json; do
		ours "--folded $tmp/$format"
		[ "$format" = json ] || tools+=("stack2line, -j=$STACK2LINE --folded $tmp/json")
		row "$name, a dump: $format" --same "${tools[@]}"
	done
	capture_end
}

live() {
	need_bpf
	shape "127 slots, 512 addresses" deep 200000
	shape "15 to 60 slots, 600 addresses of libc" fake_frames 200000 600 15 60 libc.so.6
	shape "127 slots, nearly all another address of ${LIBRARY:=libLLVM-14.so.1}" \
		fake_frames 200000 4000000 130 139 "$LIBRARY"
}

# grows KIND N…
grows() {
	local kind=$1 n line
	shift
	for n in "$@"; do
		mkdir "$tmp/grown" && cd "$tmp/grown" || exit 99
		coproc GENERATE { exec python3 "$bench/generate.py" "$kind" "$n"; }
		if read -r line <&"${GENERATE[0]}" && [ "$line" = ready ]; then
			ours "--folded --key-layout 'u32 pid; s32 stack' --stacks stacks.json --counts counts.json"
			row "$n $kind" --match '.;l?' --series "$kind" --x "$n" "${tools[@]}"
		fi
		eval "exec ${GENERATE[1]}>&-"
		wait "$GENERATE_PID"
		cd / && rm -r "$tmp/grown"
	done
}

growth() {
	grows stacks 10000 100000 1000000
	grows processes 10 100 1000
	grows objects 1 14 200
}

streams() {
	local n pid address
	gcc -O2 -o "$tmp/events" "$bench/events.c" && gcc -g -o "$tmp/known" "$top_srcdir/tests/e2e/recorded.c" || exit 1
	coproc KNOWN { exec "$tmp/known" sleep 1000000; }
	read -r pid address <&"${KNOWN[0]}"
	for n in 10000 100000 1000000; do
		"$tmp/events" "$n" 500000 "$pid" "$address" >"$tmp/stream"
		ours "--json --event-layout '$layout' $tmp/stream"
		row "$n events, as JSON" --match known_function --x "$n" --rate events --series events "${tools[@]}" \
			"stack2line, folded=$STACK2LINE --folded --event-layout '$layout' $tmp/stream"
	done
	"$tmp/events" 300 100 "$pid" "$address" >"$tmp/stream"
	ours "--json --event-layout '$layout' -"
	row "from an event to its line (wall)" --match known_function --latency --input "$tmp/stream" "${tools[@]}"
	kill "$KNOWN_PID"
}

day() {
	local n=${BENCH_PROCESSES:-1000000} pid time address
	read -r pid time address < <("$top_builddir/tests/bench/day_recording" "$n" "$tmp/recording")
	echo "stack2line-portable 1 pid=$pid weight=1 time=$time exact=1 user=$address" >"$tmp/portable"
	ours "--recording $tmp/recording --folded -"
	row "one address, of $n recorded processes ($(($(stat -c %s "$tmp/recording") / n)) bytes each)" \
		--input "$tmp/portable" "${tools[@]}"
}

# snapshots: of 30 frames without frame pointers, unwound and named: of a program with CFI and of one with SFrame
# only, from what bpftool printed and from the ring buffer, beside perf with its own recording of the same program.
snapshots() {
	local snapshot='u32 pid, tid; char chain[64]; u64 ip, sp, bp; u32 len; u8 stack[3072]' program n i reader
	local build=(gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls "$bench/recurse.c")
	S2L_BPF_OBJECT=$top_builddir/tests/bpf/snapshot.bpf.o
	need_bpf
	"${build[@]}" -o "$tmp/CFI" && "${build[@]}" -Wa,--gsframe -o "$tmp/SFrame" &&
		objcopy -R .eh_frame -R .eh_frame_hdr "$tmp/SFrame" || exit 1
	for program in CFI SFrame; do
		capture_start --frequency 4000 -- "$tmp/$program" 1500000 wait || exit 1
		bpftool map event_pipe id "${map_id[snapshots_perf]}" >"$tmp/snapshots" 2>/dev/null &
		reader=$!
		sleep 1
		capture_go
		kill -INT "$reader"
		wait "$reader" 2>/dev/null
		# What is in the ring buffer is read once only.
		row "snapshots, $program, from the ring buffer" --take --match main "stack2line=timeout -s INT --preserve-status 2 \
			$STACK2LINE --folded --events id:${map_id[snapshots]} --event-layout '$snapshot'"
		# The same ones again and again, of a process that is still there.
		n=$(grep -c '^== @' "$tmp/snapshots")
		for ((i = 0; i < ${BENCH_SNAPSHOTS:-40000}; i += n)); do
			cat "$tmp/snapshots"
		done >"$tmp/many"
		ours "--folded --event-layout '$snapshot' $tmp/many"
		row "snapshots, $program, event_pipe" --match main --x "$i" --rate snapshots "${tools[@]}" \
			"(text only)=$STACK2LINE --folded --event-layout 'u32 pid, tid; u64 ustack[1]' $tmp/many"
		capture_end
	done
	have perf || return
	perf record -q -F 4000 -e cpu-clock:u --call-graph dwarf,3072 -o "$tmp/perf.data" "$tmp/CFI" 1500000 >/dev/null 2>&1
	n=$(perf script -i "$tmp/perf.data" -F time --no-inline 2>/dev/null | grep -c :)
	row "snapshots, CFI, of perf" --match main --x "$n" --rate snapshots \
		"perf script=perf script -i $tmp/perf.data -F ip,sym --no-inline"
}

# folded NAME SEED: 100,000 different stacks of 12 to 41 frames, of 3,000 functions that C, C++ or Java calls so.
folded() {
	perl -e 'my ($kind, $seed) = @ARGV;
		my %form = (C => "work_on_item_%d", "C++" => "ns::map<ns::string<char, ns::allocator<char> >, ns::item%d*>" .
			"::insert<ns::pair<int const, ns::item> const&>(ns::pair<int const, ns::item> const&)",
			Java => "com/example/work/Queue\$Item%d.take_[j]");
		my (%stacks, @names);
		push @names, sprintf $form{$kind}, $_ for 1 .. 3000;
		srand $seed;
		while (keys %stacks < 100000) {
			my @frames = map { $names[@names * rand() ** 2] } 1 .. 10 + int rand 30;
			$stacks{join ";", "prog", "main", @frames} = 1 + int rand 100;
		}
		print "$_ $stacks{$_}\n" for keys %stacks;' "$1" "$2"
}

diff() {
	local kind
	for kind in C C++ Java; do
		folded "$kind" 1 >"$tmp/old"
		folded "$kind" 2 >"$tmp/new"
		ours "diff $tmp/old $tmp/new"
		have difffolded.pl && tools+=("difffolded.pl=env PERL_HASH_SEED=0 difffolded.pl $tmp/old $tmp/new")
		row "diff of two times 100,000 folded stacks, names of $kind" --match '[0-9]' "${tools[@]}"
	done
	rm -f "$tmp/old" "$tmp/new"
}

# versions OBJECT…: what was measured, and where.
versions() {
	local object
	echo "- $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs," \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 2 ^ 20 }' /proc/meminfo) GiB, Linux $(uname -r)," \
		"$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(date -u +%F)," \
		"load average $(cut -d ' ' -f 1-3 /proc/loadavg) at the end"
	echo "- $("$STACK2LINE" --version | head -n 1) ($(git -C "$top_srcdir" describe --always --dirty 2>/dev/null))"
	[ -z "${STACK2LINE_BEFORE:-}" ] || echo "- before: ${BENCH_BEFORE:-$STACK2LINE_BEFORE}"
	for object in "$(the_llvm)" addr2line eu-addr2line perf bpftool bpftrace; do
		have "$object" && echo "- $object: $("$object" --version 2>&1 | grep -m 1 '[0-9]')"
	done
	for object in "$@"; do
		echo "- $(basename "$object"): $(($(stat -L -c %s "$(debug_file "$object")") >> 20)) MiB of debug info, build ID" \
			"$(readelf -n "$object" 2>/dev/null | sed -n 's/^ *Build ID: //p')"
	done
}

objects=()
for object in "$@"; do
	if [ -e "$object" ]; then objects+=("$object"); else echo "bench: $object is not here" >&2; fi
done
: >>"$results"
for group in ${BENCH_ROWS:-addresses kernel live growth streams snapshots day diff}; do
	if [ "$group" = addresses ]; then
		for object in "${objects[@]}"; do
			addresses "$object"
		done
	else
		("$group") # some end where they cannot go on
	fi
done
[ -z "${STACK2LINE_BEFORE:-}" ] || {
	echo "Slower or larger than before by more than 5 %:"
	measure worse "$results"
}
[ -z "${BENCH_RESULTS:-}" ] || {
	versions "${objects[@]}" >"$tmp/versions" # before a file of the repository is written
	measure table "$results" <"$tmp/versions" >"$BENCH_RESULTS/RESULTS.md"
	measure svg "$results" >"$BENCH_RESULTS/growth.svg"
}
