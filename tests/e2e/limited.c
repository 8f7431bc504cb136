// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limited SECONDS MEGABYTES COMMAND…: runs COMMAND and passes its status on, unless it takes more CPU time
 * or hangs (then it is killed), or its memory grows larger: 124 and 125, and a line on standard error.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds after which it hangs, on however busy a machine. */
enum { HANG = 120 };

static volatile pid_t child;

static void on_alarm(int number)
{
	(void)number;
	kill(child, SIGKILL);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 4)
		return 64;
	const rlim_t seconds = strtoul(argv[1], NULL, 10);
	child = fork();
	if (!child) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	signal(SIGALRM, on_alarm);
	alarm(HANG);
	while (wait4(child, &status, 0, &usage) != child)
		;
	long megabytes = usage.ru_maxrss / 1024;
	if (getenv("LIMITED_SAY"))
		fprintf(stderr, "limited: %ld MB, %ld.%03ld s\n", megabytes,
			(long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec),
			(long)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000 % 1000);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		fprintf(stderr, "limited: took more than %s s: %s\n", argv[1], argv[3]);
		return 124;
	}
	if (megabytes > atol(argv[2])) {
		fprintf(stderr, "limited: took %ld MB: %s\n", megabytes, argv[3]);
		return 125;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
