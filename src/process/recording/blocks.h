/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a recording that say what processes did: they stay in the file, and those that an ID
 * needs are read when it is asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/block.h"
#include "process/recording/row.h"
#include "util/arena.h"
#include "util/scan.h"
#include "util/vec.h"

/* Where the bytes are: a file, or (FD -1) memory, which is the caller's. */
struct recorded_source {
	int fd; /* owned */
	const char *data;
	uint64_t len; /* of the memory */
	uint64_t at;  /* up to here it was read */
};

struct unpacked_block {
	struct text rows;
	bool damaged;
};

struct recorded_block {
	struct block_head head;
	uint32_t source;		 /* number of it */
	uint64_t at;			 /* of what is packed, in the source */
	struct scan ids[2];		 /* of its rows; of parents and numbers in PID namespaces */
	struct unpacked_block *unpacked; /* NULL: not read, or forgotten; owned */
};

/* Numbers of the blocks with an ID of the group, ascending. */
struct block_group {
	struct VEC(uint32_t) blocks;
};

/* By group of IDs, as far as there are any. */
struct block_groups {
	struct VEC(struct block_group) all;
};

/* Zero-filled is empty. */
struct recorded_blocks {
	struct VEC(struct recorded_source) sources;
	struct VEC(struct recorded_block) all; /* in the order of recording */
	struct arena indexes;
	struct block_groups groups[2];
	size_t grouped;		       /* blocks that are in groups */
	struct VEC(uint32_t) unpacked; /* blocks that are unpacked, the oldest first */
	size_t bytes;		       /* that these take */
	uint64_t n_unpacked, records; /* blocks that were unpacked so far; records in all of them */
	uint64_t damaged;	      /* blocks that could not be read */
};

void recorded_blocks_deinit(struct recorded_blocks *blocks);
/* The next whole block of a source. */
enum block_next {
	BLOCK_NONE, /* the end */
	BLOCK_CUT,  /* the last one was being written, or is damaged: there is no way behind it */
	BLOCK_READ, /* ROWS has what was unpacked, if it is of that kind */
};
enum block_next recorded_blocks_next(struct recorded_blocks *blocks, uint32_t source,
	struct text *rows, struct block_head *head);
/*
 * A walk through the blocks in which ID did something (or, OTHERS, is a parent or a number in a PID
 * namespace): AT is where the walk is, 0 at first. False: there is no other.
 */
bool recorded_blocks_find(
	struct recorded_blocks *blocks, uint64_t id, bool others, size_t *at, uint32_t *ret);
/* The rows of block N, valid until the next call. False: damaged. */
bool recorded_blocks_rows(struct recorded_blocks *blocks, uint32_t n, struct rows *ret);
