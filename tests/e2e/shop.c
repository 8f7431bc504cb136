// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shop [DAYS]: the program whose stacks the manual pages show. Each day it sorts, sleeps, and writes nothing, by a
 * system call of its own, so that frame pointers lead from there to main() whatever the C library keeps.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define noinline __attribute__((noinline))
/* No tail call before this; and gcc sets up no frame where nothing uses it, whatever the options. */
#define keep_frame() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

static unsigned orders[1024];

static noinline void write_report(void)
{
	long number = SYS_write;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(1), "S"(orders), "d"(0)
			 : "rcx", "r11", "memory");
	keep_frame();
}

static noinline void sort_orders(void)
{
	const size_t n = sizeof(orders) / sizeof(*orders);

	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j && orders[j - 1] > orders[j]; j--) {
			unsigned order = orders[j];
			orders[j] = orders[j - 1];
			orders[j - 1] = order;
		}
	keep_frame();
}

static noinline void run_day(void)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		orders[i] = (unsigned)(i * 2654435761U);
	sort_orders();
	write_report();
	keep_frame();
}

int main(int argc, char **argv)
{
	long days = argc > 1 ? atol(argv[1]) : -1;

	for (; days; days--) {
		run_day();
		usleep(1000);
	}
	return 0;
}
