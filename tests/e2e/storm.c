// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for record_only.test: for so many SECONDS it starts processes whose parents end at once,
 * some of which execute it again, and each says in FILE where its function is (say.h). Built with -DDECOY its
 * function has another name.
 */
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	double end = now() + atof(argv[1]);

	if (argc > 3) {
		say(argv[2], getpid(), (void *)known_function, OWN);
		return 0;
	}
	while (now() < end) {
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
