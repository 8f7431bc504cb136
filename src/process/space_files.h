/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of processes: /proc/PID, its maps file and its memory. A host has more processes than
 * a program may have open files, so the pool closes some in turn and reopens them if the process is
 * still the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/maps.h"

struct space_pool {
	struct VEC(struct space_files *) open;
	size_t max;	   /* maximum number of open elements; 0 if not yet known */
	size_t next;	   /* next one to close, round-robin */
	bool no_map_query; /* true if the kernel lacks PROCMAP_QUERY */
};

struct space_files {
	struct space_pool *pool;
	const char *proc_root; /* not owned */
	int64_t tid;	       /* process of the directory, or a thread if the leader exited */
	int dir, maps;	       /* -1 if closed */
	int memory;	       /* -1 if closed or not yet opened */
	bool has_maps;	 /* true if MAPS was open; when reopened, it must be of the same program */
	bool gone;	 /* true if the process exited, even if its ID was reused */
	uint64_t ticks;	 /* start time in clock ticks since boot; 0 if unknown */
	struct jit *jit; /* not owned; its files are closed together with these; may be NULL */
	size_t slot;	 /* index in pool->open, while DIR is open */
};

/* Takes ownership of DIR, the directory of process or thread TID. */
struct space_files *space_files_create(
	struct space_pool *pool, const char *proc_root, int64_t tid, int dir);
/* FILES may be NULL. */
void space_files_destroy(struct space_files *files);
/*
 * Returns the directory, reopened if necessary; -1 if the process has exited or FILES is NULL.
 * Valid until the next call.
 */
int space_files_dir(struct space_files *files);
/*
 * Returns the maps file; -1 if there was none, or if the process now runs another program. MAPS are
 * the mappings read from it before: a reopened file must be of the same program.
 */
int space_files_maps(struct space_files *files, const struct maps *maps);
/*
 * Returns the memory of the program that ran when it was first opened; if ANEW, reopens it. Returns
 * -1 if it cannot be read.
 */
int space_files_memory(struct space_files *files, bool anew);
