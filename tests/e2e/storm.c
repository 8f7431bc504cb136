// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for record_only.test, storm STOP FILE: until the file STOP is there it starts processes whose
 * parents end at once, some of which execute it again, and each says in FILE where its function is (say.h).
 * Built with -DDECOY its function has another name. storm flood N starts N processes that end at once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

#ifdef DECOY
#define OWN "decoy_function"
#define known_function decoy_function
#else
#define OWN "known_function"
#endif

__attribute__((noinline, used)) int known_function(int x)
{
	return x * 3 + 1;
}

/* In the child's child, whose parent is gone before it goes on. */
static void orphan(char **argv)
{
	usleep(500);
	if (fork())
		return;
	say(argv[2], getpid(), (void *)known_function, OWN);
	if (getpid() % 2)
		execl(argv[0], argv[0], argv[1], argv[2], "again", NULL);
}

static int flood(int n)
{
	for (; n > 0; n--) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "flood"))
		return flood(atoi(argv[2]));
	if (argc > 3) {
		say(argv[2], getpid(), (void *)known_function, OWN);
		return 0;
	}
	while (access(argv[1], F_OK)) {
		pid_t child = fork();

		if (!child) {
			if (!fork())
				orphan(argv);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		usleep(1000);
	}
	return 0;
}
