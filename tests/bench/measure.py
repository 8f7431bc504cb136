#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The measuring core of `make bench`.

measure.py run RESULTS [OPTION]... NAME=COMMAND...   checks and times the tools of one row, and adds a line for
                                                     each to RESULTS (JSON)
measure.py table RESULTS <VERSIONS                   prints them as a table (Markdown)
measure.py worse RESULTS                             prints the rows in which it is slower or larger than `before`
measure.py svg RESULTS                               draws those of a series as curves

ONCE is tests/bench/once, which runs each of them.
A tool is timed if its status is 0 and its output is what the row asks for, and only while its output stays the
same; else the table says what was wrong. The tools run in turn, on one CPU, and nothing is subtracted. The
first one is stack2line, to which the medians of the others are compared. One named `before` is another
stack2line, whose output should be the same, byte for byte. A name in parentheses is a floor: it answers nothing.
"""
import argparse
import collections
import json
import math
import os
import re
import select
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SHARE = 0.9  # of the answers are as another tool has them: what is wrong is off by far more
WORSE = 0.05  # than before: what is worse by more is printed
FIELDS = ("wall", "cpu", "memory")
KIN = ("stack2line", "before", "--", "bpftool")  # whose answers say nothing of stack2line's


def function_name(line):
    """A function's name as all tools have it: without types, template arguments and what the compiler appends."""
    line = line.split(" inlined at ")[0].replace("(anonymous namespace)", "")
    line = re.sub(r"operator ?([-<>=]+)", lambda m: "operator" + re.sub("[<>]", "~", m[1]), line)
    line, folded = re.sub(r"#[0-9a-z]{8}\b", "", line), 1
    while folded:
        line, folded = re.subn(r"<[^<>]*>", "", line)
    line = re.sub(r"\.(cold|part|isra|constprop|llvm)\b.*", "", line.split("(")[0]).strip()
    operator = re.search(r"(?:^| )(\S*\boperator\b.*)", line)
    return operator[1] if operator else line.rpartition(" ")[2]


def answers(text):
    """What `addr2line -a -f` prints: (address, innermost function, its file:line, outermost function) of each."""
    found = []
    for line in text.splitlines():
        if re.fullmatch("0x[0-9a-f]+", line):
            found.append([int(line, 16)])
        elif found:
            found[-1].append(line)
    return [(a[0], function_name(a[1]), ":".join(os.path.basename(a[2]).split(" ")[0].split(":")[:2]),
             function_name(a[-2])) for a in found if len(a) > 2]


def read_aliases(path):
    """What names of one address (of `nm -C`) are called here: by the first of them. Others are what they are."""
    names, addresses = collections.defaultdict(set), collections.defaultdict(set)
    with open(path, errors="replace") as file:
        for line in file:
            words = line.rstrip().split(" ", 2)
            if len(words) == 3 and words[1] in "tTwWiu":
                names[words[0]].add(function_name(words[2]))
                addresses[function_name(words[2])].add(words[0])
    return {name: min(names[next(iter(at))]) for name, at in addresses.items() if len(at) == 1}


def functions(text, aliases):
    """How often each function is the outermost one, of such answers or of folded stacks."""
    found = collections.Counter(aliases.get(a[3], a[3]) for a in answers(text))
    for line in text.splitlines() if not found else ():
        frames, _, weight = line.rpartition(" ")
        name = function_name(frames.split(";")[0])
        found[aliases.get(name, name)] += int(weight) if weight.isdigit() else 0
    return found


def agreement(a, b, aliases):
    """The share of answers that two outputs have in common: function or line, or the names of functions alone."""
    # Not of the sentinel, 0: a vmlinux has per-CPU data there, to which tools give different names.
    of_a, of_b = ([answer for answer in answers(text) if answer[0]] for text in (a, b))
    if of_a and len(of_a) == len(of_b):
        return sum(x[0] == y[0] and (x[1] == y[1] or (x[2] == y[2] and "?" not in x[2]))
                   for x, y in zip(of_a, of_b)) / len(of_a)
    of_a, of_b = functions(a, aliases), functions(b, aliases)
    return sum((of_a & of_b).values()) / max(1, sum(of_a.values()), sum(of_b.values()))


class Tool:
    def __init__(self, text):
        self.name, self.command = text.split("=", 1)
        self.wrong, self.remark, self.output, self.spent, self.samples = None, [], "", 0, []

    def words(self):
        """Those of a plain command, so that no shell is measured with it, or those of a shell."""
        lexer = shlex.shlex(self.command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        if any(word and set(word) <= set("();<>|&") for word in lexer):
            return ["bash", "-c", "set -o pipefail; " + self.command]
        return shlex.split(self.command)

    def is_kin(self):
        return self.name.startswith(KIN) or self.name.startswith("(")


class Row:
    def __init__(self, options):
        self.options = options
        self.tools = [Tool(text) for text in options.tools]
        self.dir = tempfile.mkdtemp(dir=os.environ.get("TMPDIR"))
        self.inputs = [options.input]
        if options.draws:
            with open(options.input) as file:
                lines = file.read().splitlines(True)[:options.draws]
            options.input = self.write("draws", "".join(lines))
            self.inputs = [self.write(f"draw{i}", line) for i, line in enumerate(lines)]
            options.runs = len(lines)

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, tool, **files):
        """once, and the end of the pipe that its figures come from."""
        figures, to = os.pipe()
        once = os.environ["ONCE"]
        process = subprocess.Popen([once, str(to), str(self.options.timeout)] + tool.words(), pass_fds=[to],
                                   stderr=open(os.path.join(self.dir, "errors"), "w"), **files)
        os.close(to)
        return process, figures

    def end(self, tool, process, figures):
        """The figures, or None and why there are none."""
        with os.fdopen(figures) as pipe:
            text = pipe.read().split()
        process.wait()
        if not text:
            return None, "could not be run"
        wall, cpu, memory, status = map(int, text)
        tool.spent += cpu / 1e6
        if status == 9 or status == 128 + 9 << 8:  # by a shell's word for it
            return None, f"over {self.options.timeout} s"
        if status:
            with open(os.path.join(self.dir, "errors"), errors="replace") as errors:
                last = (errors.read().strip().splitlines() or [""])[-1]
            how = f"status {status >> 8}" if status & 127 == 0 else f"signal {status & 127}"
            return None, f"failed: {how} {last[:60]}".strip()
        return {"wall": [wall / 1e3], "cpu": cpu / 1e3, "memory": memory / 1024}, None

    def run(self, tool, path):
        """Figures, output and what went wrong of one run."""
        output = os.path.join(self.dir, "output")
        with open(path) as stdin, open(output, "w") as stdout:
            figures, wrong = self.end(tool, *self.start(tool, stdin=stdin, stdout=stdout))
        with open(output, errors="replace") as file:
            return figures, file.read(), wrong

    def feed(self, tool, path):
        """The same, but fed event by event; the wall time is that from each event to what is printed for it."""
        with open(path) as file:
            text = file.read()
        events = re.split("(?m)^(?=== @)", text)[1:] or text.splitlines(True)
        process, figures = self.start(tool, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        walls, output = [], b""
        for event in events:
            start = time.monotonic()
            try:
                os.write(process.stdin.fileno(), event.encode())
            except BrokenPipeError:
                break
            if not select.select([process.stdout], [], [], self.options.timeout / 2)[0]:
                break
            answer = os.read(process.stdout.fileno(), 1 << 20)
            if not answer:
                break
            output += answer
            walls.append((time.monotonic() - start) * 1e3)
            time.sleep(0.005)
        process.stdin.close()
        output += process.stdout.read()
        result, wrong = self.end(tool, process, figures)
        if not wrong and len(walls) < len(events):
            wrong = f"failed: {len(walls)} events of {len(events)} were answered at once"
        return result and {**result, "wall": walls}, output.decode(errors="replace"), wrong

    def check(self, tool):
        """What is wrong with one run's status or output."""
        figures, tool.output, wrong = self.measure(tool, self.options.input)
        if wrong or tool.name.startswith("("):
            return wrong
        if self.options.take or (tool.spent > self.options.seconds and not self.options.draws):
            tool.samples.append(figures)
        if not tool.output:
            return "failed: prints nothing"
        if self.options.match and not re.search(self.options.match, tool.output):
            return f"failed: prints no {self.options.match}"
        if not self.options.answers:
            return None
        answered = sum(functions(tool.output, {}).values())
        return f"failed: {answered} answers of {self.options.answers}" if answered != self.options.answers else None

    def compare(self):
        """Holds the outputs beside each other. What agrees with no other tool's is wrong, whosever it is."""
        aliases = read_aliases(self.options.aliases) if self.options.aliases else {}
        fine = [tool for tool in self.tools if not tool.wrong and not tool.name.startswith("(")]
        for tool in fine if self.options.answers else ():
            if tool.name == "before":
                continue
            others = [agreement(tool.output, other.output, aliases) for other in fine
                      if other is not tool and not (tool.is_kin() and other.is_kin())]
            if others and max(others) < SHARE:
                tool.wrong = f"failed: {100 * max(others):.0f} % of its answers are another tool's"
            elif others:
                tool.remark.append(f"{math.floor(1e4 * max(others)) / 100:g} % agree")
        for tool in fine[1:] if fine and fine[0] is self.tools[0] else ():
            same = tool.output == fine[0].output
            if tool.name == "before":
                tool.remark.append("same bytes" if same else "other bytes")
            elif self.options.same and not same:
                tool.wrong = "failed: other bytes"

    def time(self, tool, i):
        """One timed run, whose output must be what it was."""
        figures, output, wrong = self.measure(tool, self.inputs[i % len(self.inputs)])
        if not wrong and not tool.name.startswith("("):
            # One address of many: a piece of the answers, without the weight of a folded stack.
            same = (re.sub(r" \d+$", "", output.strip()) in tool.output if self.options.draws
                    else output == tool.output)
            wrong = None if same else "failed: another answer when it was timed"
        if wrong:
            tool.wrong = wrong
        else:
            tool.samples.append(figures)

    def go(self):
        options = self.options
        self.measure = self.feed if options.latency else self.run
        slow = self.slow()
        for tool in self.tools:
            tool.wrong = slow.get(tool.name) or self.check(tool)
        self.compare()
        timed = [tool for tool in self.tools if not tool.samples]
        for tool in timed:
            tool.spent = 0
        for i in range(options.runs):
            for tool in timed:
                if not tool.wrong and self.wants_more(tool):
                    self.time(tool, i)
        with open(options.results, "a") as file:
            for tool in self.tools:
                record = self.record(tool)
                print(tool_line(record, self.tools[0].name), flush=True)
                file.write(json.dumps(record) + "\n")

    def wants_more(self, tool):
        """All draws of stack2line; of the others what there is time for, but three."""
        every = self.options.draws and tool.name.startswith(("stack2line", "before"))
        return every or tool.spent < self.options.seconds or len(tool.samples) < 3

    def slow(self):
        """The tools that took too long for less of the same series."""
        if not self.options.series or not os.path.exists(self.options.results):
            return {}
        return {r["tool"]: r["wrong"] for r in read_results(self.options.results)
                if r["series"] == self.options.series and (r["wrong"] or "").startswith("over")}

    def record(self, tool):
        options = self.options
        record = {"row": options.row, "tool": tool.name, "series": options.series, "x": options.x,
                  "wrong": tool.wrong, "remark": ", ".join(tool.remark), "runs": len(tool.samples)}
        for field in () if tool.wrong else FIELDS:
            values = [s[field] for s in tool.samples]
            values = sum(values, []) if field == "wall" else values
            record[field] = [min(values), statistics.median(values), max(values)]
        first = self.tools[0]
        if not tool.wrong and not first.wrong and tool is not first:
            record["ratio"] = (statistics.median(s["cpu"] for s in first.samples) /
                               max(0.001, statistics.median(s["cpu"] for s in tool.samples)))
        if options.x and options.rate and not tool.wrong:
            record["remark"] = ", ".join(tool.remark + [
                f"{number(1000 * options.x / record['cpu'][1])} {options.rate}/s"])
        return record


def number(value):
    """Three digits of it, and thousands apart."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cells(record):
    if record["wrong"]:
        return ["", "", "", "", "", record["wrong"]]
    return ([str(record["runs"])] + [" / ".join(number(v) for v in record[f]) for f in ("cpu", "wall", "memory")] +
            [f"{record['ratio']:.2f}" if "ratio" in record else "", record["remark"]])


def tool_line(record, first):
    head = f"{record['row']}\n  " if record["tool"] == first else "  "
    return head + f"{record['tool']:<26} " + " | ".join(cells(record)[0 if record["wrong"] is None else 5:])


def read_results(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


TABLE = """# What stack2line costs

Written by `make bench-results`, not by hand; `CONTRIBUTING.md` says how. Curves: [growth.svg](growth.svg).

{versions}

CPU time (user and system, all processes), wall time and memory (of the largest process): least / median / most of the
runs. *Ratio* is stack2line's median CPU time divided by this tool's: below 1 stack2line is ahead. Each tool's status
and output were checked before it was timed. *Agree*: answers that another tool has too. In rows of one
address each run has another random one. *Over* so many seconds (CPU time) a run was
stopped. A name in parentheses is a floor: `(floor)` only reads the sections that are needed.

{worse}| row | tool | runs | CPU, ms | wall, ms | memory, MiB | ratio | |
|---|---|---|---|---|---|---|---|
"""


def worse(results):
    """Yields the rows whose median CPU time or memory is by more than WORSE above that of the build before."""
    tools = {(r["row"], r["tool"]): r for r in results}
    for row in dict.fromkeys(r["row"] for r in results):
        now, before = tools.get((row, "stack2line")), tools.get((row, "before"))
        if not now or not before or before["wrong"]:
            continue
        if now["wrong"]:
            yield f"{row}: {now['wrong']}"
            continue
        for field, name in (("cpu", "CPU, ms"), ("memory", "memory, MiB")):
            new, old = now[field][1], before[field][1]
            if new >= old * (1 + WORSE):
                yield f"{row}: {name}: {number(new)}, {number(old)} before (+{100 * (new / old - 1):.0f} %)"


def print_worse(results):
    for line in worse(results):
        print(line)


def compared(results):
    """What the table begins with if there is a build before: the rows that are worse."""
    if not any(r["tool"] == "before" for r in results):
        return ""
    return "Slower or larger than before by more than 5 %:\n\n" + "".join(
        f"- {line}\n" for line in list(worse(results)) or ["no row"]) + "\n"


def print_table(results):
    print(TABLE.format(versions=sys.stdin.read().strip(), worse=compared(results)), end="")
    row = None
    for record in results:
        print("|", " | ".join(["" if record["row"] == row else record["row"], record["tool"]] + cells(record)), "|")
        row = record["row"]


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">
<title>CPU time of stack2line by the size of its input</title>
<style>
text {{ fill: #1f2328 }} .grid {{ stroke: #1f2328; stroke-opacity: .15 }} .curve {{ fill: none; stroke-width: 2 }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .grid {{ stroke: #e6edf3 }} }}
</style>
{body}
</svg>"""
COLOURS = ("#d9485f", "#3b82f6", "#1fa37a", "#d18b15", "#9b6bdf", "#808890", "#13a3b8", "#c45ab3")
PANEL_WIDTH, PANEL_HEIGHT, MARGIN, COLUMNS = 330, 190, 60, 2


def axis(values):
    """The decades that hold them."""
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))),
                                                    math.floor(math.log10(min(values))) + 1)


def text(x, y, content, anchor="middle"):
    content = content.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{content}</text>'


def panel(series, records, colours, left, top):
    """One series: CPU time over its number, both axes logarithmic."""
    x_from, x_to = axis([r["x"] for r in records])
    y_from, y_to = axis([r["cpu"][1] / 1e3 for r in records])

    def at_x(value):
        return left + PANEL_WIDTH * (math.log10(value) - x_from) / (x_to - x_from)

    def at_y(value):
        return top + PANEL_HEIGHT * (y_to - math.log10(value)) / (y_to - y_from)

    out = [text(left + PANEL_WIDTH / 2, top - 8, f"CPU seconds by {series}")]
    for i in range(x_from, x_to + 1):
        x = at_x(10.0 ** i)
        out += [f'<path class="grid" d="M{x:.1f} {top}v{PANEL_HEIGHT}"/>',
                text(x, top + PANEL_HEIGHT + 16, f"{10 ** i:,}")]
    for i in range(y_from, y_to + 1):
        y = at_y(10.0 ** i)
        out += [f'<path class="grid" d="M{left} {y:.1f}h{PANEL_WIDTH}"/>',
                text(left - 6, y + 4, f"{10.0 ** i:g}", "end")]
    for tool, colour in colours.items():
        points = sorted((r["x"], r["cpu"][1] / 1e3) for r in records if r["tool"] == tool)
        if points:
            path = "L".join(f"{at_x(x):.1f} {at_y(y):.1f}" for x, y in points)
            out.append(f'<path class="curve" stroke="{colour}" d="M{path}"/>')
            out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return out


def print_svg(results):
    by_series = collections.defaultdict(list)
    for record in results:
        if record["series"] and not record["wrong"]:
            by_series[record["series"]].append(record)
    tools = dict.fromkeys(r["tool"] for records in by_series.values() for r in records)
    colours = {tool: COLOURS[i % len(COLOURS)] for i, tool in enumerate(tools)}
    body = []
    for i, (series, records) in enumerate(by_series.items()):
        body += panel(series, records, colours, MARGIN + i % COLUMNS * (PANEL_WIDTH + MARGIN),
                      30 + i // COLUMNS * (PANEL_HEIGHT + MARGIN))
    top = 30 + -(-len(by_series) // COLUMNS) * (PANEL_HEIGHT + MARGIN)
    for i, (tool, colour) in enumerate(colours.items()):
        x, y = MARGIN + i % 4 * 180, top + i // 4 * 20
        body += [f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{colour}"/>', text(x + 12, y, tool, "start")]
    print(SVG.format(width=COLUMNS * (PANEL_WIDTH + MARGIN) + 20, height=top + -(-len(tools) // 4) * 20,
                     body="\n".join(body)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    jobs = parser.add_subparsers(dest="job", required=True)
    for job in ("table", "svg", "worse"):
        jobs.add_parser(job).add_argument("results")
    run = jobs.add_parser("run")
    run.add_argument("results")
    run.add_argument("tools", nargs="+", metavar="NAME=COMMAND")
    run.add_argument("--row", required=True)
    run.add_argument("--input", default="/dev/null", help="standard input of each tool")
    run.add_argument("--draws", type=int, help="each run gets one line of the input, of the first so many")
    run.add_argument("--answers", type=int, help="so many addresses or stacks are answered, and tools agree")
    run.add_argument("--aliases", help="symbols (nm -C): names of one address are one name")
    run.add_argument("--match", help="what the output must contain (a regular expression)")
    run.add_argument("--same", action="store_true", help="all outputs are the same, byte for byte")
    run.add_argument("--latency", action="store_true", help="feeds event by event; wall time is each one's")
    run.add_argument("--take", action="store_true", help="the run that is checked is measured (input is used up)")
    run.add_argument("--runs", type=int, default=int(os.environ.get("BENCH_RUNS", 7)))
    run.add_argument("--seconds", type=float, default=float(os.environ.get("BENCH_SECONDS", 6)),
                     help="of CPU time of each tool, after which three runs are enough, or one that takes longer")
    run.add_argument("--timeout", type=int, default=int(os.environ.get("BENCH_TIMEOUT", 20)),
                     help="CPU seconds of each run")
    run.add_argument("--series", help="the curve that this is a point of")
    run.add_argument("--x", type=int, help="how many of the series")
    run.add_argument("--rate", help="what the remark says how many a CPU second there are")
    options = parser.parse_args()
    if options.job == "run":
        Row(options).go()
    else:
        jobs = {"table": print_table, "svg": print_svg, "worse": print_worse}
        jobs[options.job](read_results(options.results))


if __name__ == "__main__":
    main()
