// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	changed CHILDREN MS CHANGED
 *
 * Forks children that each use MS of CPU time in work(); the first CHANGED of them run "sleep"
 * then, the others wait for a signal, as the parent does. Prints their IDs, those that changed
 * first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline, noclone)) unsigned int work(unsigned int n)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum = sum * 31 + i;
		__asm__ volatile("" ::"r"(sum));
	}
	return sum;
}

static long used_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void run_child(long ms, int changes)
{
	while (used_ms() < ms)
		work(1000000);
	if (changes)
		execl("/bin/sleep", "sleep", "infinity", (char *)NULL);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 64;
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t child = fork();

		if (!child)
			run_child(atol(argv[2]), i < atoi(argv[3]));
		printf("%d\n", (int)child);
	}
	fflush(stdout);
	for (;;)
		pause();
}
