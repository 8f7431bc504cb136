// SPDX-License-Identifier: GPL-2.0-or-later
/* spawner SECONDS PROGRAM [ARG…]: starts PROGRAM over and over; prints how often, and how long. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double begun = now(), end = argc > 2 ? begun + atof(argv[1]) : begun;
	unsigned long n = 0;

	if (argc < 3)
		return 64;
	for (; now() < end; n++) {
		pid_t pid;

		if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ))
			return 1;
		waitpid(pid, NULL, 0);
	}
	printf("%lu %.3f\n", n, now() - begun);
	return 0;
}
