/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an open perf map or jitdump piece by piece, while its JIT compiler writes it. Only whole
 * lines and records are used: a compiler may flush its buffer in the middle of one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/jit/jitdump.h"
#include "process/jit/map.h"

#define JIT_FILE_MAX (256 << 20) /* in bytes; perf maps of large Java programs have 20 MB */
#define JIT_TAIL 128

/* Without a file, FD is -1 and all else is 0. */
struct jit_file {
	int fd; /* owned */
	bool is_dump;
	uint64_t device, inode;
	uint64_t size; /* size at the last read, in bytes */
	int64_t mtime_s, mtime_ns;
	uint64_t read;	     /* size of whole lines or records read so far, in bytes */
	uint64_t effort;     /* bytes read in total, including repeated reads of a rewritten file */
	char tail[JIT_TAIL]; /* last bytes read, by which a rewritten file is detected */
	size_t tail_len;
	struct jitdump dump;
	const char *error; /* why the file is unusable; NULL if it is not */
	bool limited;	   /* true if that is because it is too large */
};

/* What a read of a file found. */
enum jit_news {
	JIT_SAME,
	JIT_MORE, /* symbols were added; call jit_map_finish() */
	JIT_ANEW, /* the file was rewritten: MAP lost its symbols, not the memory of their names */
};

/* Takes ownership of FD_TAKEN; -1 for no file. */
void jit_file_init(struct jit_file *file, int fd_taken, bool is_dump);
void jit_file_deinit(struct jit_file *file);
/* Resets FILE, so that a perf map is read again from its start. Does nothing for a jitdump. */
void jit_file_rewind(struct jit_file *file);
/* Adds what was appended to FILE since the last read to MAP. */
enum jit_news jit_file_read(struct jit_file *file, struct jit_map *map);
