/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A position in bytes of either byte order. Reading beyond the end returns 0, moves the cursor to
 * the end and sets `failed`, which stays set: one check after a series of reads is enough.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "debug/files/sections.h"

struct cursor {
	const uint8_t *at, *end; /* [at, end) is left */
	bool failed;
	bool big; /* numbers are big-endian */
};

/* Returns a failed cursor without bytes. */
static inline struct cursor cursor_none(void)
{
	static const uint8_t nothing[1];

	return (struct cursor){nothing, nothing, true, false};
}

static inline struct cursor cursor_at(struct slice slice, uint64_t offset)
{
	if (!slice.data || offset > slice.len)
		return cursor_none();
	return (struct cursor){slice.data + offset, slice.data + slice.len, false, slice.big};
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void cursor_fail(struct cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->failed = true;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t n)
{
	if (__builtin_expect(n > cursor_left(cursor), 0))
		cursor_fail(cursor);
	else
		cursor->at += n;
}

/* Reads a number of SIZE bytes, at most 8. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
	uint64_t number = 0;

	if (__builtin_expect(size > cursor_left(cursor), 0)) {
		cursor_fail(cursor);
		return 0;
	}
	if (!__builtin_constant_p(size) && size && cursor_left(cursor) >= 8) {
		/* copying 8 bytes takes one instruction, copying SIZE bytes a call */
		memcpy(&number, cursor->at, 8);
		number &= ~(uint64_t)0 >> (64 - 8 * size);
	} else {
		memcpy(&number, cursor->at, size);
	}
	cursor->at += size;
	return cursor->big && size > 1 ? __builtin_bswap64(number) >> (64 - 8 * size) : number;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	return (uint8_t)cursor_number(cursor, 1);
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	return (uint16_t)cursor_number(cursor, 2);
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	return (uint32_t)cursor_number(cursor, 4);
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	return cursor_number(cursor, 8);
}

/* Reads an unsigned LEB128 number. Drops bits beyond the 64th. */
static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	uint64_t number = 0;

	if (__builtin_expect(cursor->at < cursor->end && *cursor->at < 0x80, 1))
		return *cursor->at++;
	for (unsigned shift = 0; cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;

		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	cursor_fail(cursor);
	return 0;
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; cursor->at < cursor->end;) {
		uint8_t byte = *cursor->at++;

		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte >= 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			number |= ~(uint64_t)0 << shift;
		return (int64_t)number;
	}
	cursor_fail(cursor);
	return 0;
}

/* Reads a NUL-terminated string. Returns "" on failure. */
static inline const char *cursor_string(struct cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *nul = start < cursor->end ? memchr(start, 0, cursor_left(cursor)) : NULL;

	if (!nul) {
		cursor_fail(cursor);
		return "";
	}
	cursor->at = nul + 1;
	return (const char *)start;
}

/*
 * Reads the length at the start of a unit or table: 4 bytes, or 0xffffffff and 8 bytes. Ends the
 * cursor after that many bytes; fails if there are fewer. Returns the size of offsets, 4 or 8.
 */
static inline uint8_t cursor_enter_unit(struct cursor *cursor)
{
	uint64_t len = cursor_u32(cursor);
	uint8_t offset_size = len == UINT32_MAX ? 8 : 4;

	if (offset_size == 8)
		len = cursor_u64(cursor);
	else if (len >= 0xfffffff0)
		cursor_fail(cursor);
	if (cursor->failed || len > cursor_left(cursor))
		cursor_fail(cursor);
	else
		cursor->end = cursor->at + len;
	return offset_size;
}
