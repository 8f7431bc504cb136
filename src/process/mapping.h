/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mapping of a process's address space, as /proc/PID/maps or a recording gives it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"

struct recorded_file;

struct mapping {
	uint64_t start, end;  /* process addresses, [start, end) */
	uint64_t file_offset; /* of START, bytes into the file */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: no file */
	bool readable, writable, executable, shared;
	bool deleted;	  /* the path ended in " (deleted)" and the mapping has an inode */
	const char *path; /* unescaped, without " (deleted)"; "" for anonymous memory */
	const struct build_id *build_id;  /* of the file by a recording's word; NULL: ask */
	const struct recorded_file *file; /* what a recording says of it; NULL: a live mapping */
	bool ambiguous; /* a recording saw different files here, at different times */
	uint32_t
		program; /* of a recorded process: how often it had run another one before it was mapped */
};

/* Returns true if both have one device and inode. */
static inline bool mapping_same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}
