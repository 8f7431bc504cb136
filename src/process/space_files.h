/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptors of processes: /proc/PID, its maps file and its memory. A host has more processes than
 * a program may have files open, so only some are kept, in turn. What was closed is opened
 * again, if it is still the same process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/maps.h"

/* Zero-filled is empty. */
struct space_pool {
	struct VEC(struct space_files *) open;
	size_t max;	   /* of these; 0: not yet known */
	size_t next;	   /* to be closed when there are so many, in turn */
	bool no_map_query; /* the kernel has no PROCMAP_QUERY */
};

struct space_files {
	struct space_pool *pool;
	const char *proc_root; /* not owned */
	int64_t tid; /* whose directory it is: the process's or, when its leader exited, a thread's */
	int dir, maps;	/* -1: closed */
	int memory;	/* -1: closed, or not yet asked for */
	bool has_maps;	/* there was one, which is to be the same when it is opened again */
	bool gone;	/* another process, or none, has the number now */
	uint64_t ticks; /* when it started, in clock ticks since boot; 0: unknown */
	void (*closed)(void *context); /* called when the descriptors are closed; NULL: none */
	void *context;
	size_t slot; /* in pool->open, while DIR is open */
};

/* Takes DIR, open on the directory of process or thread TID, and MAPS (-1: it has none). */
struct space_files *space_files_create(
	struct space_pool *pool, const char *proc_root, int64_t tid, int dir, int maps);
/* NULL is fine. */
void space_files_destroy(struct space_files *files);
/* The directory, opened again if need be; -1 if it is gone, or FILES is NULL. Valid until the next call. */
int space_files_dir(struct space_files *files);
/*
 * The maps file. MAPS are the mappings that were read from it: one that is opened again must be of the
 * same program. -1: there was none, or it is of another program.
 */
int space_files_maps(struct space_files *files, const struct maps *maps);
/* The memory of the program that ran when it was opened first, or ANEW; -1: it cannot be read. */
int space_files_memory(struct space_files *files, bool anew);
