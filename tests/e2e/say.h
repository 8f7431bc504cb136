/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the programs of the tests of recordings say what is true when. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* s, CLOCK_MONOTONIC. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * Adds "ID ADDRESS TIME NAME" (ns, CLOCK_MONOTONIC) to FILE: the process or thread ID has the
 * function NAME at ADDRESS now.
 */
static inline void say(const char *file, long id, const void *address, const char *name)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	dprintf(fd, "%ld %p %ld%09ld %s\n", id, address, (long)t.tv_sec, t.tv_nsec, name);
	close(fd);
}
