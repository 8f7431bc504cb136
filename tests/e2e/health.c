// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks that frame pointers tell wrong, for x86-64: `health chains` makes a system call (getppid) in
 * each of the functions below, whose chains health.test knows; `health pointer` calls one through a
 * pointer; `health spin MS` spends so many milliseconds of CPU time in f0 to f7. Waits for a byte on
 * stdin before and writes one to stdout after.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define noinline __attribute__((noinline, used))
/* No tail call before this; and gcc sets up no frame where nothing uses it, whatever the options. */
#ifndef keep_frame
#define keep_frame() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))
#endif

#define FUNCTION(name, body)                                                                       \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name                      \
		":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " #name ", . - " #name "\n");    \
	void name(pid_t pid, int number)
#define SAMPLE "mov $110, %eax\nsyscall\n"
#define PUSH "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
#define MOVE "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
#define POP "pop %rbp\n.cfi_def_cfa %rsp, 8\n.cfi_restore %rbp\n"

FUNCTION(framed, PUSH MOVE SAMPLE POP "ret");
FUNCTION(frameless, "nop\n" SAMPLE "ret");
FUNCTION(before_push, "nop\n" SAMPLE PUSH MOVE POP "ret");
FUNCTION(after_push, PUSH SAMPLE MOVE POP "ret");
FUNCTION(after_pop, PUSH MOVE POP SAMPLE "ret");
FUNCTION(middle, "sub $8, %rsp\n.cfi_def_cfa_offset 16\ncall framed\nadd $8, %rsp\n"
		 ".cfi_def_cfa_offset 8\nret");
FUNCTION(tail, PUSH MOVE POP "jmp frameless");
FUNCTION(tail_framed, PUSH MOVE POP "jmp framed");
/* kill(pid, number) */
FUNCTION(interrupted, PUSH MOVE "mov $62, %eax\nsyscall\n" POP "ret");

#define CALLER(callee)                                                                             \
	static noinline void call_##callee(void)                                                   \
	{                                                                                          \
		callee(getpid(), SIGUSR1);                                                         \
		keep_frame();                                                                      \
	}
CALLER(framed)
CALLER(frameless)
CALLER(before_push)
CALLER(after_push)
CALLER(after_pop)
CALLER(middle)
CALLER(tail)
CALLER(tail_framed)
CALLER(interrupted)
static void (*volatile pointer)(pid_t, int) = framed;
CALLER(pointer)

static noinline void on_signal(int number)
{
	(void)number;
	framed(0, 0);
	keep_frame();
}

static volatile sig_atomic_t ended;
static volatile unsigned long spun;

static void end(int number)
{
	ended = number;
}

#define SPINNER(name, next)                                                                        \
	static noinline unsigned long name(unsigned long n)                                        \
	{                                                                                          \
		for (int i = 0; i < 20; i++)                                                       \
			spun += n * 7;                                                             \
		unsigned long below = next;                                                        \
		spun ^= below;                                                                     \
		keep_frame();                                                                      \
		return below + n;                                                                  \
	}
SPINNER(f7, n)
SPINNER(f6, f7(n + 1))
SPINNER(f5, f6(n + 2) + f6(n))
SPINNER(f4, f5(n ^ spun))
SPINNER(f3, f4(n *n))
SPINNER(f2, f3(n - 1) + f3(n + 3))
SPINNER(f1, f2(n + 1))
SPINNER(f0, f1(n))

static void spin(long ms)
{
	const struct itimerval timer = {
		.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};

	signal(SIGPROF, end);
	setitimer(ITIMER_PROF, &timer, NULL);
	for (unsigned long n = 0; !ended; n++)
		spun += f0(n);
}

static void call_chains(void)
{
	signal(SIGUSR1, on_signal);
	call_framed();
	call_frameless();
	call_before_push();
	call_after_push();
	call_after_pop();
	call_middle();
	call_tail();
	call_tail_framed();
	call_interrupted();
}

int main(int argc, char **argv)
{
	char byte;

	if (argc < 2 || read(STDIN_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	if (argc == 3 && strcmp(argv[1], "spin") == 0)
		spin(atol(argv[2]));
	else if (strcmp(argv[1], "pointer") == 0)
		call_pointer();
	else
		call_chains();
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return EXIT_SUCCESS;
}
