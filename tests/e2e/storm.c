// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for record_only.test: for so many SECONDS it starts processes whose parents end at once,
 * some of which execute it again, and each adds "PID ADDRESS TIME" to FILE. Built with -DDECOY its
 * function has another name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef DECOY
#define known_function decoy_function
#endif

__attribute__((noinline, used)) int known_function(int x)
{
	return x * 3 + 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(const char *file)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	dprintf(fd, "%d %p %ld%09ld\n", getpid(), (void *)known_function, (long)t.tv_sec, t.tv_nsec);
	close(fd);
}

/* In the child's child, whose parent is gone before it goes on. */
static void orphan(char **argv)
{
	usleep(500);
	if (fork())
		return;
	say(argv[2]);
	if (getpid() % 2)
		execl(argv[0], argv[0], argv[1], argv[2], "again", NULL);
}

int main(int argc, char **argv)
{
	double end = now() + atof(argv[1]);

	if (argc > 3) {
		say(argv[2]);
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
