#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How CPU time and memory grow from 100,000 to 1,000,000 stacks with their counts, from files and through a pipe, folded.
# Prints medians and ratios; judges nothing. The larger dump takes 3 GB of $TMPDIR.
# million_bench.sh [ROUNDS [LIBRARY]]
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
need_command python3 "${CC%% *}"
rounds=${1:-5} library=${2:-libc.so.6}

compiler -O1 -D_GNU_SOURCE "$top_srcdir/tests/bench/many_stacks.c" -o "$tmp/many_stacks" || exit 1

# Each is the dump of a process that runs until its standard input ends.
start() {
	coproc MANY { exec "$tmp/many_stacks" "$1" "$library" "$tmp/$1.json"; }
	read -r _ <&"${MANY[0]}" || exit 1
}
start 100000
exec {first}>&"${MANY[1]}"
start 1000000 2>/dev/null

python3 - "$rounds" "$tmp" "$STACK2LINE" <<'END'
import os, statistics, subprocess, sys
rounds, tmp, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]

# Seconds of CPU time and MB of memory of PROGRAM alone, which reads the dump of N stacks.
def run(n, piped):
    path = "%s/%d.json" % (tmp, n)
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE) if piped else None
    child = subprocess.Popen([program, "--folded"] + ([] if piped else [path]),
                             stdin=cat.stdout if piped else subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if cat:
        cat.stdout.close()
        cat.wait()
    if status:
        sys.exit("million_bench: status %d" % status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

for piped in False, True:
    runs = {100000: [], 1000000: []}
    for _ in range(rounds):
        for n in runs:
            runs[n].append(run(n, piped))
    median = {n: [statistics.median(r[i] for r in runs[n]) for i in (0, 1)] for n in runs}
    for n in runs:
        print("%-4s %7d stacks: %6.2f s of CPU, %4.0f MiB" % ("pipe" if piped else "file", n, *median[n]))
    print("     ten times the stacks take %.1f times the CPU" % (median[1000000][0] / median[100000][0]))
END
exec {first}>&-
