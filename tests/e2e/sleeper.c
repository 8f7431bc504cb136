// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints its process ID, waits for a byte, sleeps eleven times from two places, prints "done", and
 * waits for the end of its input.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

KEPT void nap(long ns)
{
	struct timespec time = {0, ns};

	nanosleep(&time, NULL);
	__asm__ volatile("" ::: "memory");
}

KEPT void naps(int n)
{
	for (int i = 0; i < n; i++)
		nap(2000000);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	char byte;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 1;
	naps(10);
	nap(5000000);
	printf("done\n");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
