// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A C program whose stacks are known exactly. It waits for a byte on stdin, runs each chain its
 * number of times ("spin" as argument: burns CPU instead), writes a byte to stdout and waits for
 * the end of stdin.
 *
 * A CHAIN comment says how often a stack occurs and which frames it has, root first: function,
 * the mark of its line, and whether it is inlined. Tests find a mark's line by its "AT" comment.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

#define always_inline static inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define keep_frame() __asm__ volatile("") /* no tail call before this */
/* As an asm operand: gcc sets up no frame where nothing uses it, whatever the options say. */
#define frame_used "r"(__builtin_frame_address(0))

#define SPIN_CLOCKS                                                                                \
	CLOCKS_PER_SEC /* a second of CPU time: what is sampled does not depend on who runs beside */

static volatile sig_atomic_t sink;

/* Where the probes sit: the function's entry, and the system call getppid. */
noinline void probe_point(void);
noinline void probe_point(void)
{
	__asm__ volatile(CALL_GETPPID ::frame_used : CALL_CHANGES); /* AT probe */
}

static noinline void hot_leaf(void)
{
	probe_point(); /* AT leaf */
	keep_frame();
}

always_inline void inner_inline(int n)
{
	sink = n;
	hot_leaf(); /* AT inner */
	sink = n + 1;
}

always_inline void outer_inline(int n)
{
	if (n >= 0)
		inner_inline(n); /* AT outer */
}

/*
 * CHAIN probe 7
 *   main @main_run
 *   run_chains @run_nested
 *   chain_nested @chain_nested
 *   outer_inline @outer inlined
 *   inner_inline @inner inlined
 *   hot_leaf @leaf
 *   probe_point @probe
 */
static noinline void chain_nested(int n)
{
	outer_inline(n); /* AT chain_nested */
	keep_frame();
}

/*
 * CHAIN probe 5
 *   main @main_run
 *   run_chains @run_deep
 *   descend @descend
 *   descend @descend
 *   descend @descend_end
 *   inner_inline @inner inlined
 *   hot_leaf @leaf
 *   probe_point @probe
 */
static noinline void descend(int depth)
{
	if (depth > 0) {
		descend(depth - 1); /* AT descend */
		keep_frame();
		return;
	}
	inner_inline(depth); /* AT descend_end */
	keep_frame();
}

/* The frame below a signal trampoline is exact, and frame pointers skip the interrupted function. */
static noinline void on_signal(int number)
{
	sink = number;
	hot_leaf(); /* AT handler */
	keep_frame();
}

static noinline void interrupted(void)
{
#ifdef __x86_64__
	__asm__ volatile("int3" ::frame_used);
#else
	__builtin_trap(); /* nobody has run it elsewhere (need_workloads in tests/e2e/lib.sh) */
#endif
}

/*
 * CHAIN probe 3
 *   main @main_run
 *   run_chains @run_signal
 *   chain_signal @chain_signal
 *   __restore_rt
 *   on_signal @handler
 *   hot_leaf @leaf
 *   probe_point @probe
 */
static noinline void chain_signal(void)
{
	interrupted(); /* AT chain_signal */
	keep_frame();
}

static noinline void run_chains(void)
{
	for (int i = 0; i < 7; i++)
		chain_nested(i); /* AT run_nested */
	for (int i = 0; i < 5; i++)
		descend(2); /* AT run_deep */
	for (int i = 0; i < 3; i++)
		chain_signal(); /* AT run_signal */
	keep_frame();
}

static noinline void spin_leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i) : frame_used); /* AT spin_leaf */
}

always_inline void spin_inline(void)
{
	spin_leaf(20000000u + (unsigned)sink); /* AT spin_inline */
	sink = 0;
}

/*
 * CHAIN spin 1
 *   main @main_spin
 *   run_spin @run_spin
 *   spin_inline @spin_inline inlined
 *   spin_leaf @spin_leaf
 */
static noinline void run_spin(void)
{
	do
		spin_inline(); /* AT run_spin */
	while (clock() < SPIN_CLOCKS);
}

int main(int argc, char **argv)
{
	struct sigaction action;
	char byte;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigaction(SIGTRAP, &action, NULL);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	if (argc > 1 && strcmp(argv[1], "spin") == 0)
		run_spin(); /* AT main_spin */
	else
		run_chains(); /* AT main_run */
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return EXIT_SUCCESS;
}
