/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf map or jitdump that is open, read piece by piece as its JIT compiler writes it. Only whole
 * lines and records count: a compiler's buffer may have been written in the middle of one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/jit/jitdump.h"
#include "process/jit/map.h"

#define JIT_FILE_MAX (256 << 20) /* bytes; Java's maps of large programs have 20 MB */
#define JIT_TAIL 128

/* With FD -1 and zeros it is none. */
struct jit_file {
	int fd; /* owned */
	bool is_dump;
	uint64_t device, inode;
	uint64_t size; /* when it was looked at last */
	int64_t mtime_s, mtime_ns;
	uint64_t read;	     /* bytes of whole lines or records so far */
	uint64_t effort;     /* bytes read in all: a file that is written anew is read anew */
	char tail[JIT_TAIL]; /* the last bytes that were read, which tell such a file */
	size_t tail_len;
	struct jitdump dump;
	const char *error; /* why it says nothing, NULL: nothing is wrong */
	bool limited;	   /* because it is larger than is read */
};

/* What a look at a file found. */
enum jit_news {
	JIT_SAME,
	JIT_MORE, /* symbols were added; call jit_map_finish() */
	JIT_ANEW, /* it was written anew: MAP has lost its symbols, not their names' memory */
};

/* FD is taken; -1: none. */
void jit_file_init(struct jit_file *file, int fd_taken, bool is_dump);
void jit_file_deinit(struct jit_file *file);
/* All of a perf map is read again, as if it had just been opened. */
void jit_file_rewind(struct jit_file *file);
/* Adds to MAP what FILE has got since it was looked at last. */
enum jit_news jit_file_read(struct jit_file *file, struct jit_map *map);
