/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope guards: every owned local starts out empty and is released at the end of its scope. take(x)
 * hands ownership over.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define scope_guard(destructor) __attribute__((__cleanup__(destructor)))

/* Yields the pointer X and sets X to NULL, so that its scope guard has nothing to free. */
#define take(x)                                                                                    \
	({                                                                                         \
		__auto_type taken_ = (x);                                                          \
		(x) = NULL;                                                                        \
		taken_;                                                                            \
	})

/* Yields the descriptor X and sets X to -1. */
#define take_fd(x)                                                                                 \
	({                                                                                         \
		int taken_fd_ = (x);                                                               \
		(x) = -1;                                                                          \
		taken_fd_;                                                                         \
	})

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Defines NAME_cleanup(), the destructor for a pointer to struct NAME: it calls NAME_destroy(). */
#define CLEANUP_OF(name)                                                                           \
	static inline void name##_cleanup(struct name **of)                                        \
	{                                                                                          \
		name##_destroy(*of);                                                               \
	}

#define auto_free scope_guard(cleanup_free)
#define auto_fd scope_guard(cleanup_fd)
#define auto_file scope_guard(cleanup_file)
