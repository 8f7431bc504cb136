// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two programs from one source: -DNAME=alpha -DNUMBER=1 and -DNAME=beta -DNUMBER=2 name the functions.
 *
 *	alpha living|busy|fixed|few BETA
 *	beta serve
 *
 * Waits for a line. Then its processes and threads call getppid() one after the other: itself, its threads, forked
 * children that run the same code, children that have executed BETA, shells. With "busy" also: a thread and processes
 * that have ended, processes that become another program after they were sampled, and one that has the ID of
 * another. With "few" only a child works, once. Prints "done" and waits for the end of its input, as all its
 * processes do that have not ended.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
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
#define MAGIC 0x6c61796fL /* tests/bpf/layouts.h */
#define ROUNDS 3
#define ACTORS_MAX 32

#ifdef __x86_64__
#define SECOND "rsi"
#define THIRD "rdx"
#else
#define SECOND "x1"
#define THIRD "x2"
#endif

KEPT long NAMED(NAME, leaf)(void)
{
	long result = 1;
	register long magic __asm__(SECOND) = MAGIC;
	register long program __asm__(THIRD) = NUMBER;

	__asm__ volatile(CALL_GETPPID : "+r"(result) : "r"(magic), "r"(program) : CALL_CHANGES);
	return result;
}

#define PATH(name, times)                                                                          \
	KEPT long NAMED(NAME, name)(void)                                                          \
	{                                                                                          \
		long sum = 0;                                                                      \
		for (int i = 0; i < (times); i++)                                                  \
			sum += NAMED(NAME, leaf)();                                                \
		__asm__ volatile("" ::"r"(sum) : "memory");                                        \
		return sum;                                                                        \
	}

PATH(parse, 2)
PATH(write, 1)
PATH(send, 1)

KEPT long NAMED(NAME, work)(void)
{
	long sum = NAMED(NAME, parse)() + NAMED(NAME, write)() + NAMED(NAME, send)();

	__asm__ volatile("" ::"r"(sum) : "memory");
	return sum;
}

/* One that works when a byte comes. */
struct actor {
	int to, from;
	pid_t pid;
};

/* Works for each byte, and answers it. 'x' makes it the program. */
static void serve(int in, int out, char *program)
{
	char byte;

	while (read(in, &byte, 1) == 1) {
		if (byte == 'x') {
			dup2(in, 0);
			dup2(out, 1);
			execl(program, program, "serve", "ready", (char *)NULL);
			_exit(1);
		}
		NAMED(NAME, work)();
		if (write(out, &byte, 1) != 1)
			break;
	}
}

static void actor_ask(const struct actor *actor, char byte)
{
	if (write(actor->to, &byte, 1) != 1 || read(actor->from, &byte, 1) != 1)
		exit(1);
}

static void actor_end(const struct actor *actor)
{
	close(actor->to);
	close(actor->from);
	if (waitpid(actor->pid, NULL, 0) != actor->pid)
		exit(1);
}

static pid_t fork_as(pid_t wanted)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&wanted, .set_tid_size = wanted > 0};

	return wanted > 0 ? (pid_t)syscall(SYS_clone3, &args, sizeof(args)) : fork();
}

/* A child, with the ID WANTED if that is not 0: executes ARGV, or without runs this code and may become PROGRAM. */
static bool actor_start(struct actor *actor, pid_t wanted, char **argv, char *program)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		exit(1);
	actor->pid = fork_as(wanted);
	if (actor->pid < 0)
		return false;
	if (!actor->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(in[1]);
		close(out[0]);
		if (!argv) {
			serve(in[0], out[1], program);
			_exit(0);
		}
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(argv[0], argv);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	actor->to = in[1];
	actor->from = out[0];
	return true;
}

static void *run_thread(void *arg)
{
	int *ends = arg;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", ends[2]);
	prctl(PR_SET_NAME, name);
	serve(ends[0], ends[1], NULL);
	return NULL;
}

static pthread_t thread_start(struct actor *actor, int number)
{
	static int ends[ACTORS_MAX][3];
	int in[2], out[2];
	pthread_t thread;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		exit(1);
	memcpy(ends[number], (int[]){in[0], out[1], number}, sizeof(ends[number]));
	*actor = (struct actor){in[1], out[0], 0};
	if (pthread_create(&thread, NULL, run_thread, ends[number]))
		exit(1);
	return thread;
}

/* A shell and one that it has started: dash and bash call getppid() then. */
static void shell_start(struct actor *actor)
{
	char *argv[] = {
		(char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){"sh -c \"echo; read x\"; :"}, NULL};
	char byte;

	if (!actor_start(actor, 0, argv, NULL) || read(actor->from, &byte, 1) != 1)
		exit(1);
}

/* Of processes that come and go, and change. */
static void run_busy(char *beta)
{
	char *serve_beta[] = {beta, (char[]){"serve"}, NULL};
	struct actor actor;
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		thread = thread_start(&actor, 8 + i);
		actor_ask(&actor, 'w');
		close(actor.to);
		if (pthread_join(thread, NULL))
			exit(1);
	}
	for (int i = 0; i < 6; i++) {
		if (i < 4) {
			actor_start(&actor, 0, i % 2 ? serve_beta : NULL, NULL);
			actor_ask(&actor, 'w');
			actor_ask(&actor, 'w');
		} else {
			shell_start(&actor);
		}
		actor_end(&actor);
	}
	pid_t gone = actor.pid; /* a shell's */
	for (int i = 0; i < 2; i++) {
		if (!actor_start(&actor, 0, NULL, beta))
			exit(1);
		actor_ask(&actor, 'w');
		actor_ask(&actor, 'x');
		if (i)
			actor_ask(&actor, 'w');
	}
	if (actor_start(&actor, gone, serve_beta, NULL))
		actor_ask(&actor, 'w');
}

static void run(const char *mode, char *beta)
{
	struct actor actors[ACTORS_MAX];
	char *serve_beta[] = {beta, (char[]){"serve"}, NULL};
	int n = 0;
	char line[16];

	for (int i = 0; i < 3; i++)
		if (!actor_start(&actors[n++], 0, NULL, NULL) ||
			!actor_start(&actors[n++], 0, serve_beta, NULL))
			exit(1);
	for (int i = 0; i < 3; i++)
		thread_start(&actors[n++], i);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	if (!strcmp(mode, "few")) {
		actor_ask(&actors[1], 'w');
		return;
	}
	for (int round = 0; round < ROUNDS; round++) {
		NAMED(NAME, work)();
		for (int i = 0; i < n; i++)
			actor_ask(&actors[i], 'w');
		shell_start(&actors[n + round]);
	}
	if (!strcmp(mode, "busy"))
		run_busy(beta);
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

int main(int argc, char **argv)
{
	char line[16];

	signal(SIGPIPE, SIG_IGN);
	if (argc > 2 && !strcmp(argv[1], "serve") && write(1, "r", 1) != 1)
		return 1;
	if (argc > 1 && !strcmp(argv[1], "serve"))
		serve(0, 1, NULL);
	if (argc < 3)
		return 0;
	if (!strcmp(argv[1], "serve"))
		return 0;
	if (strcmp(argv[1], "fixed"))
		randomize(argv);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "alpha"); /* not "exe" */
	run(argv[1], argv[2]);
	printf("done\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
