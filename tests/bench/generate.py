#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dumps that grow in one way, of processes that are there:

    generate.py stacks|processes|objects N

writes stacks.json and counts.json into the current folder, as `bpftool -j` prints maps without BTF (key: u32 pid;
s32 stack), prints "ready", and ends, as its processes do, when standard input does.
"""
import ctypes
import os
import random
import signal
import subprocess
import sys

SLOTS, FUNCTIONS, PR_SET_PDEATHSIG = 12, 20, 1
LIBRARIES = 40  # of each process, if they are not what grows: some 200 mappings
STACKS = 20  # of each process or object


def libraries(n):
    """Builds and loads N of them, each with functions and debug info of its own."""
    for i in range(n):
        source = "int puts(const char *);\n" + "".join(
            f"void l{i}_f{j}(void)\n{{\n\tputs(\"a\");\n\tputs(\"b\");\n}}\n" for j in range(FUNCTIONS))
        path = os.path.abspath(f"l{i}.so")
        subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", "-xc", "-", "-o", path], input=source.encode(),
                       check=True)
        ctypes.CDLL(path)


def return_addresses(name):
    """Those behind calls in the code of this process's mapping of NAME."""
    with open("/proc/self/maps") as maps:
        line = next(line.split() for line in maps if name in line and " r-xp " in line)
    start, end = (int(number, 16) for number in line[0].split("-"))
    code = ctypes.string_at(start, end - start)
    return [start + i for i in range(5, len(code)) if code[i - 5] == 0xe8]


def fork_paused():
    """A process with the mappings of this one, which ends with it."""
    pid = os.fork()
    if not pid:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.pause()
        os._exit(0)
    return pid


def as_json(number, size):
    return ",".join(f'"0x{byte:02x}"' for byte in number.to_bytes(size, "little"))


def write_dumps(pids, n_stacks, addresses):
    """N_STACKS different stacks, those of each process one after another."""
    slots = [as_json(address, 8) for address in addresses]
    empty = as_json(0, 8)
    with open("stacks.json", "w") as stacks, open("counts.json", "w") as counts:
        for i in range(n_stacks):
            depth = random.randint(4, SLOTS - 1)
            stack = [slots[i % len(slots)]] + random.choices(slots, k=depth - 1) + [empty] * (SLOTS - depth)
            key, pid = as_json(i, 4), as_json(pids[i * len(pids) // n_stacks], 4)
            comma = "," if i else "["
            stacks.write(f'{comma}{{"key":[{key}],"value":[{",".join(stack)}]}}')
            counts.write(f'{comma}{{"key":[{pid},{key}],"value":[{as_json(i % 9 + 1, 8)}]}}')
        stacks.write("]\n")
        counts.write("]\n")


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    random.seed(1)
    pids, n_stacks = [os.getpid()], STACKS * n
    if kind == "stacks":
        n_stacks = n
        addresses = random.sample(return_addresses("/libc.so"), 2000)
    else:
        libraries(n if kind == "objects" else LIBRARIES)
        addresses = sum((return_addresses(f"/l{i}.so")[-STACKS:]
                         for i in range(n if kind == "objects" else LIBRARIES)), [])
    if kind == "processes":
        pids = [fork_paused() for _ in range(n)]
    write_dumps(pids, n_stacks, addresses)
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
