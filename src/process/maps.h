/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses /proc/PID/maps (fs/proc/task_mmu.c, show_map_vma()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "util/arena.h"
#include "util/vec.h"

/* A mapping of a process's address space, from /proc/PID/maps or a recording. */

struct recorded_file;

struct mapping {
	uint64_t start, end;  /* process addresses, [start, end) */
	uint64_t file_offset; /* file offset of START, in bytes */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0 if not a file */
	bool readable, writable, executable;
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

struct maps VEC(struct mapping);

/*
 * Appends the mappings in TEXT to RET, in the same order (ascending, disjoint); copies paths to
 * STRINGS. Skips lines that are not mappings, and returns their number.
 */
size_t maps_parse(const char *text, size_t len, struct arena *strings, struct maps *ret);
/* Returns true if A and B map the same part of the same file at the same addresses. */
bool maps_same_code(const struct mapping *a, const struct mapping *b);
/*
 * Removes " (deleted)", which the kernel appends for deleted files, from PATH. Returns false if it
 * is not there.
 */
bool maps_cut_deleted(char *path);
/* Returns the mapping that contains ADDRESS, or NULL. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

/*
 * Returns the file mapping below ANONYMOUS, an element of MAPS, if it once covered ANONYMOUS, or
 * NULL. The nearest file mappings on both sides must be of the same file, without gaps between
 * them, and their offsets must differ as their addresses do. The bytes may differ from the file's.
 */
const struct mapping *remapped_file(const struct maps *maps, const struct mapping *anonymous);
