#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what stack2line says of stacks against the truth (tracer.c).

judge.py NAME DIR UNSTRIPPED [CASES]: DIR has truth, maps, and json and guessed, which stack2line made without and
with --guess-callers. UNSTRIPPED is the program with its symbols. Prints counts, tab-separated, in the order of
COLUMNS; with CASES, appends to that file a line for each case that is wrong.
judge.py --total: adds up such lines of standard input.
"""
import collections
import functools
import json
import subprocess
import sys

COLUMNS = (
    ("stacks", ""),
    ("callers", "pairs of frames, of which frame pointers lost the caller or did not"),
    ("lost", "callers that frame pointers lost"),
    ("unsaid", "lost, but neither said so nor that it cannot be told"),
    ("cannot tell", "lost, and said that it cannot be told"),
    ("false", "said to be lost, but there"),
    ("doubted", "right frames that are doubted"),
    ("cut good", "stacks of which right frames were cut or left out"),
    ("junk", "stacks that have slots which are no return addresses"),
    ("named junk", "such slots with a name and without a doubt"),
    ("tails", "stacks that still end in such slots"),
    ("short", "stacks that end before their start"),
    ("short unsaid", "of which that is not said"),
    ("early", "stacks that reach their start, and are said to have ended early"),
    ("guesses", "guessed callers, of functions that nm knows the bounds of"),
    ("wrong", "of which wrong"),
    ("abstained", "callers that leaves lost, not guessed"),
)


@functools.cache
def functions_of(*words):
    """name → the ranges of ELF addresses of the functions that are called so, of the file and options of nm in WORDS."""
    functions = collections.defaultdict(list)
    nm = subprocess.run(["nm", "-S", *words], capture_output=True, text=True, check=True).stdout
    for line in nm.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwWi":
            functions[words[3].split("@")[0]].append((int(words[0], 16), int(words[0], 16) + int(words[1], 16)))
    return functions


def load_bias(directory, program):
    """What is added to the ELF addresses of the program."""
    with open(f"{directory}/maps", encoding="utf-8") as maps:
        first = min(int(line.split("-")[0], 16) for line in maps if line.endswith("/program\n"))
    for line in subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            return first - (int(words[2], 16) & ~0xFFF)
    raise SystemExit(f"{program}: no segments")


def right_slots(slots, true):
    """(value, index in TRUE or None). Code that realigns the stack copies its return address."""
    last = 0
    for slot in slots:
        value, which = slot.split(":")
        value = int(value, 16)
        copied = which == "-" and value in true[last + 1:]
        which = true.index(value, last + 1) if copied else None if which == "-" else int(which)
        last = which or last
        yield value, which


def read_truth(directory):
    with open(f"{directory}/truth", encoding="utf-8") as truth:
        for line in truth:
            slots, true = line.split("|")
            true = [int(value, 16) for value in true.split()]
            yield list(right_slots(slots.split(), true)), true


def read_output(path):
    """By stack: the stack, with one frame a location."""
    stacks = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            sample = json.loads(line)
            stack = sample["user"]
            stack["frames"] = [frame for frame in stack["frames"] if not frame.get("inlined")]
            stacks[int(sample["weight"]) - 1] = stack
    return stacks


def is_in(address, ranges):
    return any(start <= address < end for start, end in ranges)


def align(slots, frames):
    """(value, which, frame) of each slot; frame None: it is not in the output."""
    rows, at = [], 0
    for value, which in slots:
        frame = None
        if at < len(frames) and int(frames[at]["address"], 16) == value:
            frame = frames[at]
            at += 1
        rows.append((value, which, frame))
    return rows


class Judge:
    def __init__(self, name, program, bias, cases):
        self.name, self.bias, self.cases = name, bias, cases
        self.functions = functions_of(program)
        self.counts = collections.Counter()

    def add(self, column, rows=None, at=0):
        self.counts[column] += 1
        if rows and self.cases:
            frames = " ".join(
                ("" if which is not None else "!") + (frame.get("function") or frame["status"] if frame else "(cut)")
                + ("?" if frame and frame.get("doubtful") else "")
                + (f"[{frame['lost_caller']}]" if frame and "lost_caller" in frame else "")
                + (f"<{which}>" if which else "")
                for _, which, frame in rows)
            print(f"{self.name}\t{column}\t{at}\t{rows[at][0]:x}\t{frames}", file=self.cases)

    def start_of(self, true):
        """The index from which on the callers in TRUE start the program or thread. Go's entry point only jumps."""
        for index in range(len(true) - 1, -1, -1):
            if is_in(true[index] - (index > 0) - self.bias, self.functions["main"] + self.functions["main.main"]):
                return index
        jumps = is_in(true[-1] - self.bias, self.functions["runtime.rt0_go.abi0"] + self.functions["runtime.rt0_go"])
        return max(len(true) - (1 if jumps else 2), 0)

    def pairs(self, rows, health, start):
        """Each right frame and the next one."""
        right = [at for at, row in enumerate(rows) if row[1] is not None and row[1] < start and row[2]]
        for at in right:
            _, which, frame = rows[at]
            following = next((other for other in range(at + 1, len(rows)) if rows[other][1] is not None), None)
            if following is None:
                continue
            lost = rows[following][1] != which + 1
            said = "lost_caller" in frame
            doubted = any(row[2] and row[2].get("doubtful") for row in rows[at + 1:following + 1])
            self.add("callers")
            if not lost:
                if said and following == at + 1:
                    self.add("false", rows, at)
                continue
            self.add("lost")
            if said or doubted:
                continue
            if "cannot-tell" in health:
                self.add("cannot tell")
            else:
                self.add("unsaid", rows, at)

    def end(self, rows, stack, start):
        health = stack.get("health", [])
        last = max(at for at, row in enumerate(rows) if row[1] is not None)
        early = "ended-early" in health
        if any(row[2] for row in rows[last + 1:]):
            self.add("tails", rows, last)
        if rows[last][1] >= start:
            if early:
                self.add("early", rows, last)
            return
        self.add("short")
        frame = rows[last][2]
        if not (early or stack.get("truncated") or "cannot-tell" in health or (frame and "lost_caller" in frame)):
            self.add("short unsaid", rows, last)

    def stack(self, slots, true, stack):
        rows = align(slots, stack["frames"])
        start = self.start_of(true)
        self.add("stacks")
        if any(which is None for _, which in slots):
            self.add("junk")
        if any(which is not None and not frame for _, which, frame in rows):
            self.add("cut good", rows)
        for at, (_, which, frame) in enumerate(rows):
            if frame and frame.get("doubtful") and which is not None:
                self.add("doubted", rows, at)
            if frame and which is None and frame["status"] == "named" and not frame.get("doubtful"):
                self.add("named junk", rows, at)
        self.pairs(rows, stack.get("health", []), start)
        self.end(rows, stack, start)

    def bounds(self, leaf, name, bias):
        """Those of the functions NAME in the object of LEAF: of a stripped one, by its debug file or dynamic symbols."""
        if bias == self.bias:
            return self.functions[name]
        return functions_of(leaf.get("debug_file", leaf["object"]))[name] or functions_of("-D", leaf["object"])[name]

    def guess(self, slots, true, stack):
        """A guess lies between the leaf and the next slot: a caller that was lost there must be it."""
        frames = stack["frames"]
        if len(frames) < 3 or not frames[1].get("guessed"):
            if frames[0].get("lost_caller") in ("leaf", "prologue"):
                self.add("abstained")
            return
        leaf, guessed = frames[:2]
        lost = true[1:slots[1][1]]
        bias = int(leaf["address"], 16) - int(leaf["elf_address"], 16)
        rows = align(slots, frames[:1] + frames[2:])
        if "elf_address" in guessed:
            right = int(guessed["elf_address"], 16) + bias in lost
        else:
            ranges = self.bounds(leaf, guessed["linkage"], bias)
            if not ranges:
                self.add("unread guess", rows)
                return
            right = any(is_in(address - 1 - bias, ranges) for address in lost)
        self.add("guesses")
        if not right:
            self.add("wrong", rows)


def run(name, directory, program, cases):
    judge = Judge(name, program, load_bias(directory, program), cases)
    output, guessed = read_output(f"{directory}/json"), read_output(f"{directory}/guessed")
    for index, (slots, true) in enumerate(read_truth(directory)):
        judge.stack(slots, true, output[index])
        judge.guess(slots, true, guessed[index])
    print("\t".join([name] + [str(judge.counts[column]) for column, _ in COLUMNS]))


def total():
    sums = [0] * len(COLUMNS)
    rows = [line.rstrip("\n").split("\t") for line in sys.stdin]
    print(f"{'build':34}" + "".join(f"{column:>{max(len(column), 5) + 2}}" for column, _ in COLUMNS))
    for row in rows + [["all"]]:
        counts = [int(count) for count in row[1:]] or sums
        sums = [a + b for a, b in zip(sums, counts)] if row[0] != "all" else sums
        print(f"{row[0]:34}" + "".join(
            f"{count:>{max(len(column), 5) + 2}}" for (column, _), count in zip(COLUMNS, counts)))
    print()
    for column, text in COLUMNS[1:]:
        print(f"{column}: {text}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--total"]:
        total()
    elif len(sys.argv) in (4, 5):
        with open(sys.argv[4] if len(sys.argv) == 5 else "/dev/null", "a", encoding="utf-8") as cases:
            run(*sys.argv[1:4], cases)
    else:
        sys.exit(64)
