// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * once FD SECONDS COMMAND ARGUMENT…: runs COMMAND on one CPU, the last that is allowed, for SECONDS of CPU time at
 * most (each of its processes; ten times as long in all, since others may share the machine), and writes to FD what
 * it took: wall time and CPU time (user and system, µs), the memory of its largest process (KiB), and its status as
 * of waitpid(2). All of these are of COMMAND and what it waited for. A small program, since Linux begins a process's
 * largest memory with that of the one that started it.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

/* It, and what it started: too late, or interrupted. */
static void end_child(int signal)
{
	(void)signal;
	if (child > 0)
		kill(-child, SIGKILL);
}

static void pin(void)
{
	cpu_set_t allowed, one;
	int cpu = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	while (cpu > 0 && !CPU_ISSET(cpu, &allowed))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int64_t us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = end_child, .sa_flags = SA_RESTART};
	struct rusage usage;
	int status;

	if (argc < 4) {
		fputs("usage: once FD SECONDS COMMAND ARGUMENT...\n", stderr);
		return 64;
	}
	const struct rlimit limit = {(rlim_t)atoi(argv[2]), (rlim_t)atoi(argv[2])};
	pin();
	int64_t start = us();
	child = fork();
	if (child == 0) {
		close(atoi(argv[1]));
		setpgid(0, 0);
		setrlimit(RLIMIT_CPU, &limit);
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	if (child < 0)
		return 2;
	setpgid(child, child);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	alarm(10 * (unsigned int)limit.rlim_cur);
	if (wait4(child, &status, 0, &usage) < 0)
		return 2;
	dprintf(atoi(argv[1]), "%lld %lld %ld %d\n", (long long)(us() - start),
		(long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
			usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
		usage.ru_maxrss, status);
	return 0;
}
