/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mapping of a process's address space, from /proc/PID/maps or a recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"

struct recorded_file;

struct mapping {
	uint64_t start, end;  /* process addresses, [start, end) */
	uint64_t file_offset; /* file offset of START, in bytes */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0 if not a file */
	bool readable, writable, executable, shared;
	bool deleted;	  /* true if the path ended in " (deleted)" and the mapping has an inode */
	const char *path; /* unescaped, without " (deleted)"; "" for anonymous memory */
	const struct build_id *build_id;  /* build ID of the file in a recording; NULL if unknown */
	const struct recorded_file *file; /* file in a recording; NULL for a live mapping */
	bool ambiguous; /* true if a recording has different files here, at different times */
	/* of a recorded process: number of execs before it was mapped */
	uint32_t program;
};

/* Returns true if A and B have the same device and inode. */
static inline bool mapping_same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}
