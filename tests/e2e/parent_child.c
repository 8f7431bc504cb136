// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several programs from one source, so that their code is at the same addresses: -DNAME=parent and
 * -DNAME=child name the functions. All of them are called "parent_child".
 *
 *	parent random|fixed exec CHILD | fork | ended | threads | alone
 *
 * Waits for a line, calls getppid(): 3 times itself (not with "ended"), 5 times its child, twice a thread that ends.
 * Prints "done" and waits for the end of its input, as the child does but that of "ended". "random": with ASLR,
 * whatever was inherited.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bpf/machine.h"

#define JOIN(a, b) a##_##b
#define NAMED(a, b) JOIN(a, b)
#define KEPT __attribute__((noinline, noclone))

KEPT long NAMED(NAME, leaf)(void)
{
	long result = 1;

	__asm__ volatile(CALL_GETPPID : "+r"(result)::CALL_CHANGES);
	return result;
}

KEPT long NAMED(NAME, work)(long times)
{
	long sum = 0;

	for (long i = 0; i < times; i++)
		sum += NAMED(NAME, leaf)();
	__asm__ volatile("" ::"r"(sum) : "memory");
	return sum;
}

/* What a forked child runs and its parent does not. */
KEPT long NAMED(NAME, forked)(long times)
{
	long sum = NAMED(NAME, work)(times);

	__asm__ volatile("" ::: "memory");
	return sum;
}

KEPT long NAMED(NAME, thread)(long times)
{
	long sum = NAMED(NAME, work)(times);

	__asm__ volatile("" ::: "memory");
	return sum;
}

static void *run_thread(void *arg)
{
	NAMED(NAME, thread)(2);
	return arg;
}

/* Works when a byte comes, says so, and stays. */
static void serve(int in, int out, long (*work)(long))
{
	char byte;

	if (read(in, &byte, 1) != 1)
		exit(1);
	work(5);
	if (write(out, &byte, 1) != 1)
		exit(1);
	while (read(in, &byte, 1) > 0)
		;
	_exit(0);
}

static pid_t start_child(const char *how, const char *program, int *to, int *from)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe(in) || pipe(out) || (pid = fork()) < 0)
		exit(1);
	if (!pid) {
		close(in[1]);
		close(out[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (strcmp(how, "exec"))
			serve(in[0], out[1], NAMED(NAME, forked));
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(program, program, "serve", (char *)NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	*from = out[0];
	return pid;
}

static void randomize(char **argv)
{
	int now = personality(0xffffffff);

	if (!(now & ADDR_NO_RANDOMIZE))
		return;
	personality((unsigned long)(now & ~ADDR_NO_RANDOMIZE));
	execv("/proc/self/exe", argv);
	exit(1);
}

static void run(const char *how, const char *child_program)
{
	int to = -1, from = -1;
	pid_t child = 0;
	pthread_t thread;
	char line[16];

	if (!strcmp(how, "exec") || !strcmp(how, "fork") || !strcmp(how, "ended"))
		child = start_child(how, child_program, &to, &from);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	if (strcmp(how, "ended"))
		NAMED(NAME, work)(3);
	if (child && (write(to, line, 1) != 1 || read(from, line, 1) != 1))
		exit(1);
	if (!strcmp(how, "ended") && (close(to) || waitpid(child, NULL, 0) != child))
		exit(1);
	if (!strcmp(how, "threads") &&
		(pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL)))
		exit(1);
}

int main(int argc, char **argv)
{
	char line[16];

	prctl(PR_SET_NAME, "parent_child");
	if (argc > 1 && !strcmp(argv[1], "serve"))
		serve(0, 1, NAMED(NAME, work));
	if (argc < 3)
		return 64;
	if (!strcmp(argv[1], "random"))
		randomize(argv);
	run(argv[2], argv[3]);
	printf("done\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
