/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a recording (man/stack2line-recording.5): a head, an index, and what is packed with
 * zstd. Numbers are little-endian, times ns of CLOCK_MONOTONIC.
 *
 *	head: 52 bytes
 *	 0  "S2LB"
 *	 4  u8 kind, u8[3] 0
 *	 8  u32 bytes of the index, u32 bytes packed, u32 bytes unpacked
 *	20  u32 records
 *	24  u64 time of the earliest event (0: none)
 *	32  u64 time up to which the recording has all that happened, with this block (0: not said)
 *	40  u32 CRC-32 of the index, u32 of what is packed
 *	48  u32 CRC-32 of the 48 bytes before
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

enum {
	BLOCK_HEAD = 52,	   /* bytes */
	BLOCK_INDEX_MAX = 1 << 24, /* bytes, as are the others */
	BLOCK_PACKED_MAX = 1 << 26,
	BLOCK_UNPACKED_MAX = 1 << 26,
	BLOCK_RECORDS_MAX = 1 << 17,
};

enum block_kind {
	BLOCK_SYSTEM = 1,    /* rows of the system, all of which are read */
	BLOCK_PROCESSES = 2, /* rows of processes; the index says of which */
};

struct block_head {
	enum block_kind kind;
	uint32_t index, packed, unpacked; /* bytes */
	uint32_t records;
	uint64_t first, complete; /* ns */
	uint32_t index_crc, packed_crc;
};

/* Packs UNPACKED and adds the whole block to RET; only kind, records and times of HEAD are looked at. */
void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked);
/* Of BLOCK_HEAD bytes. False: damaged, or not of a block. */
bool block_head_read(const void *bytes, struct block_head *ret);
/* Whether the index is as it was written. */
bool block_index_is_whole(const struct block_head *head, const void *index);

/* In any order, with repetitions. */
struct ids VEC(uint32_t);
/* IDs one after another, [first, end). */
struct id_run {
	uint64_t first, end;
};

/* Adds an index of two sets, which are put in order. */
void block_index_add(struct text *index, struct ids *ids, struct ids *others);
/* Reads both. False: not an index. */
bool block_index_read(struct scan index, struct scan sets_ret[2]);
/* Reads the run behind RUN (zero-filled at first) of what is left of SET. False: there is none. */
bool block_index_next(struct scan *set, struct id_run *run);
/* Adds what was packed to RET. False: damaged. */
bool block_unpack(const struct block_head *head, const void *packed, struct text *ret);
