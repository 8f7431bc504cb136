#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The mixed job: 20 processes (C++, Java, Python, JavaScript) that work for some seconds, sampled by a BPF program and
# by perf record at once and as often. What naming and folding all of it costs: stack2line from the live maps and
# from bpftool's JSON, beside perf script (without inlined functions) with a stackcollapse. Debug info of the
# JVM (openjdk-17-dbg) is most of the work where it is installed.
#
#	mixed_bench.sh [SECONDS [FREQUENCY]]
#
# STACK2LINE_BEFORE  another stack2line, whose output should be the same
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
seconds=${1:-8} frequency=${2:-450}
export ONCE=${ONCE:-$top_builddir/tests/bench/once} TMPDIR=$tmp
need_bpf
need_command g++ java node perf perl python3
[ "$(java --list-modules | grep -c '^jdk.compiler@')" = 1 ] || skip_all_or_fail "java cannot run a source file (no JDK)"
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=$cgroups/stack2line-bench.$$
{ [ -n "$cgroups" ] && mkdir "$cgroup" 2>/dev/null; } || skip_all_or_fail "no cgroup can be made"
workers=()
end_all() {
	[ ${#workers[@]} = 0 ] || kill -KILL "${workers[@]}"
	cleanup
	for _ in $(seq 50); do # they are no longer bash's, which would say that they were killed
		rmdir "$cgroup" 2>/dev/null && break
		sleep 0.1
	done
}
trap 'is_script && end_all' EXIT
cd "$tmp" || exit 99

cat >Mixed.java <<'END'
import java.net.URI;
import java.util.*;
import java.util.stream.*;
import javax.tools.*;

public class Mixed {
	static class Source extends SimpleJavaFileObject {
		final String text;
		Source(int n) {
			super(URI.create("string:///C" + n + ".java"), Kind.SOURCE);
			text = "public class C" + n + " { int f(java.util.List<String> a) { return a.stream().mapToInt(s -> s.length() * " +
				n + ").sum(); } }";
		}
		public CharSequence getCharContent(boolean ignore) { return text; }
	}
	public static void main(String[] args) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, Integer> seen = new TreeMap<>();
		for (int n = 0;; n++) {
			compiler.getTask(null, null, d -> {}, List.of("-d", args[0]), null, List.of(new Source(n % 50))).call();
			String text = IntStream.range(0, 2000).mapToObj(Integer::toHexString).collect(Collectors.joining(" "));
			for (String word : text.split("[aeiou ]+"))
				seen.merge(word, 1, Integer::sum);
		}
	}
}
END
cat >mixed.py <<'END'
import ast, json, random, re
text = open(ast.__file__).read()
while True:
    tree = compile(ast.parse(text), "mixed", "exec")
    data = {str(random.random()): [random.random() for _ in range(20)] for _ in range(500)}
    again = json.loads(json.dumps(data))
    sorted(again.items(), key=lambda item: item[1])
    re.findall(r"(\w+)\s*=\s*(\w+)\(", text)
END
cat >mixed.js <<'END'
const crypto = require('crypto'), zlib = require('zlib');
for (;;) {
	const data = Array.from({length: 5000}, (_, i) => ({id: i, name: 'n' + Math.random(), list: [i, i * 2]}));
	const text = JSON.stringify(data);
	JSON.parse(text).sort((a, b) => a.name < b.name ? -1 : 1);
	text.replace(/n0\.(\d+)/g, (_, digits) => digits.length);
	crypto.createHash('sha256').update(zlib.deflateSync(text)).digest('hex');
}
END
cat >mixed.cc <<'END'
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
int main()
{
	std::mt19937 random(1);
	for (size_t sum = 0;; sum++) {
		std::map<std::string, std::vector<int>> words;
		std::unordered_map<int, std::function<int(int)>> functions;
		for (int i = 0; i < 5000; i++) {
			std::ostringstream out;
			out << "word" << random() % 1000 << " " << 1.5 * i;
			words[out.str()].push_back(i);
			functions[i] = [sum](int x) { return x + static_cast<int>(sum); };
		}
		std::regex pattern("word([0-9]+) ([0-9.]+)");
		std::vector<std::pair<std::string, int>> found;
		for (auto &[word, list] : words) {
			std::smatch match;
			if (std::regex_match(word, match, pattern))
				found.emplace_back(match[1], functions[list[0]](list[0]));
		}
		std::sort(found.begin(), found.end(), [](auto &a, auto &b) { return a.second * 7919 % 4093 < b.second * 7919 % 4093; });
	}
}
END
g++ -std=c++17 -O2 -g -fno-omit-frame-pointer mixed.cc -o mixed || exit 1

# Samples while the job works, and stops it then: the processes are there, but use no CPU.
cat >job <<'END'
#!/usr/bin/env bash
read -r _
perf record -q -F "$1" -e cpu-clock -g -p "$3" -o perf.data -- sleep "$2" >/dev/null 2>errors
kill -STOP ${3//,/ }
echo
read -r _
exit 0
END
chmod +x job

# worker COMMAND…
worker() {
	(echo "$BASHPID" >"$cgroup/cgroup.procs" && exec "$@") </dev/null >/dev/null 2>&1 &
	workers+=($!)
	disown $! # bash would say that it was killed
}
mkdir classes
for _ in 1 2 3 4 5; do
	worker "$tmp/mixed"
	worker java -Xmx256m Mixed.java classes
	worker "$(python3 -c 'import sys; print(sys.executable)')" mixed.py
	worker node mixed.js
done
sleep 5 # the JVMs have compiled the source
pids=$(IFS=, && echo "${workers[*]}")
capture_start --frequency "$frequency" --cgroup "$(stat -c %i "$cgroup")" --entries 16384 --buckets 32768 -- \
	"$tmp/job" "$frequency" "$seconds" "$pids" && capture_go || exit 1

# A stackcollapse as small as can be.
cat >collapse.pl <<'END'
my ($comm, @frames, %count);
while (<>) {
	if (/^(\S.*?)\s+\d+\s+[\d.]+:\s*$/) { $comm = $1 =~ tr/ /_/r; @frames = () }
	elsif (/^\s+[0-9a-f]+ (.*) \(.*\)$/) { unshift @frames, $1 =~ s/\+0x[0-9a-f]+$//r }
	elsif (/^$/ && defined $comm) { $count{join ";", $comm, @frames}++; undef $comm }
}
print "$_ $count{$_}\n" for sort keys %count;
END

maps=(--map "id:${map_id[counts]}" --map "id:${map_id[stacks]}")
dumps="bpftool -j map dump id ${map_id[counts]}; bpftool -j map dump id ${map_id[stacks]};"
perf="perf script -i $tmp/perf.data --no-inline -F comm,tid,time,ip,sym,dso | perl $tmp/collapse.pl"
hits=$("$STACK2LINE" --folded "${maps[@]}" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }')
samples=$(perf script -i perf.data -F time --no-inline 2>/dev/null | grep -c :)
echo "${#workers[@]} processes, $(dump counts -j | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))') stacks," \
	"$hits hits of the BPF program, $samples samples of perf"
tools=("stack2line=$STACK2LINE --folded ${maps[*]}")
[ -z "${STACK2LINE_BEFORE:-}" ] || tools+=("before=$STACK2LINE_BEFORE --folded ${maps[*]}")
tools+=("bpftool -j, stack2line={ $dumps } | $STACK2LINE --folded")
[ -z "${STACK2LINE_BEFORE:-}" ] || tools+=("before, bpftool -j={ $dumps } | $STACK2LINE_BEFORE --folded")
tools+=("perf script, stackcollapse=$perf" "(bpftool -j)={ $dumps } >/dev/null")
results=$tmp/results
python3 "$top_srcdir/tests/bench/measure.py" run "$results" --row "the mixed job" --match 'mixed.*;main' "${tools[@]}"
python3 - "$results" <<'END'
import json, sys
rows = {r["tool"]: r for r in map(json.loads, open(sys.argv[1])) if not r["wrong"]}
perf = rows.get("perf script, stackcollapse")
for name, r in rows.items() if perf else ():
    if r is not perf and not name.startswith("("):
        print(f"  {name}: {r['cpu'][1] / perf['cpu'][1]:.2f} of the CPU time of perf script, {r['memory'][1]:.0f} MiB")
END
