// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends a program a signal before one of its system calls, so that it ends at a moment that does not depend on
 * the machine's speed:
 *
 *	at_call N INT|TERM|0 PROGRAM ARG…
 *
 * At its end it prints a line on stderr: "signalled", or how many calls there were, of all threads.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL = SIGTRAP | 0x80 };

int main(int argc, char **argv)
{
	const long wanted = argc > 3 ? atol(argv[1]) : 0;
	const int signal_number = argc > 3 && !strcmp(argv[2], "INT") ? SIGINT : SIGTERM;
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
	long stops = 0, entered = 0;
	int status, signalled = 0;
	pid_t child = argc > 3 ? fork() : -1, stopped;

	if (child < 0)
		return 64;
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || ptrace(PTRACE_SETOPTIONS, child, NULL, options))
		return 99;
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	while ((stopped = waitpid(-1, &status, __WALL)) > 0) {
		const int number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (stopped == child && !number)
			break;
		/* Each call stops twice: at its entry and at its end. */
		if (number == CALL && (entered = ++stops / 2 + 1) == wanted && !signalled)
			signalled = !kill(child, signal_number);
		if (number)
			ptrace(signalled ? PTRACE_CONT : PTRACE_SYSCALL, stopped, NULL,
				(long)(number == CALL || number == SIGTRAP || number == SIGSTOP
						? 0
						: number));
	}
	if (signalled)
		fprintf(stderr, "signalled\n");
	else
		fprintf(stderr, "%ld\n", entered);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
