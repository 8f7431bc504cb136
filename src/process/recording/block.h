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
#include <stdint.h>

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

struct block_head {
	enum block_kind kind;
	uint32_t index, packed, unpacked; /* in bytes */
	uint32_t records;
	uint64_t first, complete; /* ns */
	uint32_t index_crc, packed_crc;
};

/* Packs UNPACKED and appends the block to RET. Uses only kind, records and times of HEAD. */
void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked);
/* Reads the BLOCK_HEAD bytes at BYTES. Returns false if they are not a valid head. */
bool block_head_read(const void *bytes, struct block_head *ret);
/* Returns true if the CRC of INDEX is right. */
bool block_index_is_whole(const struct block_head *head, const void *index);

/* IDs in any order, with repetitions. */
struct ids VEC(uint32_t);
/* Consecutive IDs, [first, end). */
struct id_run {
	uint64_t first, end;
};

/* Appends an index of the sets IDS and OTHERS, which it sorts. */
void block_index_add(struct text *index, struct ids *ids, struct ids *others);
/* Splits INDEX into its two sets. Returns false if it is not an index. */
bool block_index_read(struct scan index, struct scan sets_ret[2]);
/*
 * Reads the next run of SET and advances SET. RUN is the previous run, zero-filled at first.
 * Returns false at the end.
 */
bool block_index_next(struct scan *set, struct id_run *run);
/* Appends the unpacked content to RET. Returns false if it is damaged. */
bool block_unpack(const struct block_head *head, const void *packed, struct text *ret);
