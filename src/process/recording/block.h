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
 *	24  u64 time of the first record (0: none)
 *	32  u64 time up to which the recording has all that happened, with this block (0: not said)
 *	40  u32 CRC-32 of the index, u32 of what is packed
 *	48  u32 CRC-32 of the 48 bytes before
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

enum {
	BLOCK_HEAD = 52,	   /* bytes */
	BLOCK_INDEX_MAX = 1 << 24, /* bytes, as are the others */
	BLOCK_PACKED_MAX = 1 << 26,
	BLOCK_UNPACKED_MAX = 1 << 26,
	BLOCK_RECORDS_MAX = 1 << 17,
};

enum block_kind {
	BLOCK_LINES = 1,  /* of the system: text, all of which is read */
	BLOCK_EVENTS = 2, /* of processes (process/recording/columns.h); the index says of which */
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
/* Adds what was packed to RET. False: damaged. */
bool block_unpack(const struct block_head *head, const void *packed, struct text *ret);
