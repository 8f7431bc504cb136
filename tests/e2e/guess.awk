# SPDX-License-Identifier: GPL-2.0-or-later
# awk -v seed=N -v chains=N -v truth=FILE -f guess.awk >program.c: a program of chains of functions, at random with
# and without frame pointers, that call and jump to the next one directly and not. What else their code could do
# it never does. The last one of each makes a system call (getppid). With an argument it goes on for so
# many milliseconds of CPU time. TRUTH: for each function, whether it stays on the stack, and the line of its call.
function chance(percent) { return rand() * 100 < percent }
function emit(text) { print text; line++ }
function name(i, j) { return "c" i "_" j }
function attributes(percent) { return chance(percent) ? "FRAMED" : "FRAMELESS" }
function decoy(i, j, depth, to) {
	to = name(i, j + 1 + int(rand() * (depth - j)))
	if (chance(35))
		emit("\tif (never) sink += " to "(a + 2);")
	if (chance(12))
		emit("\tif (never) sink += other(a + 3);")
	if (chance(12))
		emit("\tif (never) puts(\"never\");")
	if (chance(12))
		emit("\tif (never) return " to "(a + 4);")
	if (chance(8))
		emit("\tif (never) return other(a + 5);")
	if (chance(10))
		emit("\tif (__builtin_expect(never, 0)) { sink += " to "(a + 6); abort(); }")
}
function make(i, j, depth, kind, busy, call) {
	emit(attributes(60) " " storage[i] "long " name(i, j) "(long a)")
	emit("{")
	busy = chance(40)
	if (busy)
		emit("\tlong b = a + sink, c = b * 3, d = c ^ a, e = d + b, f = e * c, g = f - a;")
	emit("\tfor (int n = 0; n < 20; n++) sink += a * 7;")
	decoy(i, j, depth)
	kind = chance(55) ? "call" : chance(50) ? "jump" : chance(60) ? "pointer" : "qsort"
	call = name(i, j + 1) "(a + 1)"
	if (kind == "pointer")
		call = "p" name(i, j) "(a + 1)"
	if (kind == "qsort")
		call = "(qsort(two, 2, 8, (int (*)(const void *, const void *))" name(i, j + 1) "), a)"
	if (kind == "pointer" && chance(40))
		kind = "pointer-jump"
	print name(i, j), kind, line + 1 >truth
	if (kind ~ /jump/)
		emit("\treturn " call ";")
	else {
		emit("\tlong r = " call ";")
		decoy(i, j, depth)
		emit("\tsink += r" (busy ? " + b + c + d + e + f + g" : "") ";")
		emit("\treturn r + sink;")
	}
	emit("}")
}
BEGIN {
	srand(seed)
	emit("#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/time.h>\n#include <unistd.h>")
	line = 5
	emit("#define FRAMED __attribute__((noipa, optimize(\"no-omit-frame-pointer\")))")
	emit("#define FRAMELESS __attribute__((noipa, optimize(\"omit-frame-pointer\")))")
	emit("volatile int never; volatile long sink; static volatile sig_atomic_t ended;")
	emit("long (*volatile other)(long); long two[2];")
	emit("static void end(int number) { ended = number; }")
	for (i = 0; i < chains; i++) {
		depth[i] = 2 + int(rand() * 5)
		storage[i] = chance(50) ? "static " : ""
		for (j = 0; j <= depth[i]; j++) {
			emit(storage[i] "long " name(i, j) "(long a);")
			if (j)
				emit("static long (*volatile p" name(i, j - 1) ")(long) = " name(i, j) ";")
		}
	}
	for (i = 0; i < chains; i++) {
		for (j = 0; j < depth[i]; j++)
			make(i, j, depth[i])
		emit(attributes(25) " " storage[i] "long " name(i, j) "(long a)")
		emit("{ long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"0\"(110L) : \"rcx\", \"r11\", \"memory\");")
		emit("for (int n = 0; n < 9; n++) sink += a; return a + r; }")
		print name(i, j), "leaf", 0 >truth
	}
	emit("FRAMED static void start(void)")
	emit("{ char *volatile used = __builtin_frame_address(0); (void)used;")
	for (i = 0; i < chains; i++)
		emit("sink += " name(i, 0) "(" i ");")
	emit("}")
	emit("int main(int argc, char **argv) { char byte;")
	emit("struct itimerval timer = {};")
	emit("timer.it_value.tv_sec = argc > 1 ? atol(argv[1]) / 1000 : 0;")
	emit("timer.it_value.tv_usec = argc > 1 ? atol(argv[1]) % 1000 * 1000 : 0;")
	emit("signal(SIGPROF, end); if (read(0, &byte, 1) != 1) return 1;")
	emit("setitimer(ITIMER_PROF, &timer, NULL);")
	emit("do start(); while (argc > 1 && !ended);")
	emit("if (write(1, &byte, 1) != 1) return 1; while (read(0, &byte, 1) > 0); return 0; }")
}
