/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a recording (man/stack2line-recording.5): a head, an index, and content packed with
 * zstd. Numbers are little-endian; times are ns of CLOCK_MONOTONIC.
 *
 *	head: 52 bytes
 *	 0  "S2LB"
 *	 4  u8 kind, u8[3] 0
 *	 8  u32 bytes of the index, u32 bytes packed, u32 bytes unpacked
 *	20  u32 records
 *	24  u64 time of the earliest event (0: none)
 *	32  u64 time up to which the recording is complete with this block (0: unknown)
 *	40  u32 CRC-32 of the index, u32 CRC-32 of the packed content
 *	48  u32 CRC-32 of the 48 bytes before
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/recording_row.h"
#include "util/arena.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

enum {
	BLOCK_HEAD = 52,	   /* bytes */
	BLOCK_INDEX_MAX = 1 << 24, /* in bytes, as the next two */
	BLOCK_PACKED_MAX = 1 << 26,
	BLOCK_UNPACKED_MAX = 1 << 26,
	BLOCK_RECORDS_MAX = 1 << 17,
};

enum block_kind {
	BLOCK_SYSTEM = 1,    /* rows of the system; all are read */
	BLOCK_PROCESSES = 2, /* rows of processes; the index has their IDs */
};

/* As in the file, but in the byte order of this machine. */
struct block_head {
	char magic[4];
	uint8_t kind, zero[3];		  /* enum block_kind */
	uint32_t index, packed, unpacked; /* in bytes */
	uint32_t records;
	uint64_t first, complete; /* ns */
	uint32_t index_crc, packed_crc, crc;
};

/* Packs UNPACKED and appends the block to RET. Uses only kind, records and times of HEAD. */
void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked);

/* IDs in any order, with repetitions. */
struct ids VEC(uint32_t);
/* Appends an index of the sets IDS and OTHERS, which it sorts. */
void block_index_add(struct text *index, struct ids *ids, struct ids *others);

/*
 * The blocks of a recording with rows of processes. They stay in the file; those that contain an ID
 * are read when that ID is looked up.
 */

/* A file of blocks. */
struct recorded_source {
	int fd;	     /* owned */
	uint64_t at; /* offset of the first byte not yet read */
};

struct unpacked_block {
	struct text rows;
	bool damaged;
};

struct recorded_block {
	struct block_head head;
	uint32_t source;		 /* index in sources */
	uint64_t at;			 /* offset of the packed content in the source */
	struct scan ids[2];		 /* of its rows; of parents and numbers in PID namespaces */
	struct unpacked_block *unpacked; /* owned; NULL if not read, or forgotten */
};

/*
 * By group of IDs, the indexes of the blocks that have one of them, ascending. Groups after the
 * last used one are left out.
 */
struct block_groups VEC(struct ids);

struct recorded_blocks {
	struct VEC(struct recorded_source) sources;
	struct VEC(struct recorded_block) all; /* in file order */
	struct arena indexes;
	struct block_groups groups[2];
	size_t grouped;		       /* number of blocks added to GROUPS */
	struct VEC(uint32_t) unpacked; /* indexes of unpacked blocks, oldest first */
	size_t bytes;		       /* memory of the unpacked rows, in bytes */
	/* number of blocks unpacked so far; number of records in all blocks */
	uint64_t n_unpacked, records;
	uint64_t damaged; /* number of blocks that could not be unpacked */
};

void recorded_blocks_deinit(struct recorded_blocks *blocks);
enum block_next {
	BLOCK_NONE, /* end of the source */
	BLOCK_CUT,  /* the block is damaged or incomplete: nothing after it can be read */
	BLOCK_READ, /* success */
};
/*
 * Reads the next block of SOURCE. Unpacks a block of the system into ROWS; adds a block of
 * processes to BLOCKS.
 */
enum block_next recorded_blocks_next(struct recorded_blocks *blocks, uint32_t source,
	struct text *rows, struct block_head *head);
/*
 * Finds the next block in which ID has a record (or, if OTHERS, is a parent or a number in a PID
 * namespace). AT is the state of the search, 0 at first. Returns false if there are no more.
 */
bool recorded_blocks_find(
	struct recorded_blocks *blocks, uint64_t id, bool others, size_t *at, uint32_t *ret);
/* Sets RET to the rows of block N, valid until the next call. Returns false if it is damaged. */
bool recorded_blocks_rows(struct recorded_blocks *blocks, uint32_t n, struct rows *ret);
