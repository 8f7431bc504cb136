/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in bytes: of a fixed size, in any byte order and at any address, and of variable length
 * (LEB128: seven bits per byte, low bits first). A hash of bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/scan.h"
#include "util/text.h"

/* Returns the number in the SIZE bytes at P. SIZE is at most 8. */
static inline uint64_t byte_order_read(const uint8_t *p, unsigned size, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)p[big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

/* Return the number at P in native byte order. */
static inline uint32_t load_u32(const void *p)
{
	uint32_t number;

	memcpy(&number, p, sizeof(number));
	return number;
}

static inline uint64_t load_u64(const void *p)
{
	uint64_t number;

	memcpy(&number, p, sizeof(number));
	return number;
}

/* Returns a hash of LEN bytes that is the same in every run (FNV-1a). */
static inline uint64_t stable_hash(const char *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3ULL;
	return hash;
}

enum { VARINT_BYTES_MAX = 10 };

static inline void varint_add(struct text *text, uint64_t number)
{
	text_reserve(text, VARINT_BYTES_MAX);
	for (; number >= 0x80; number >>= 7)
		text->data[text->len++] = (char)(number | 0x80);
	text->data[text->len++] = (char)number;
	text->data[text->len] = '\0';
}

/* Replaces the content of TEXT by N numbers. */
static inline void varint_write_all(struct text *text, const uint32_t *numbers, size_t n)
{
	text_clear(text);
	text_reserve(text, n * VARINT_BYTES_MAX);
	char *to = text->data;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = numbers[i];

		for (; number >= 0x80; number >>= 7)
			*to++ = (char)(number | 0x80);
		*to++ = (char)number;
	}
	*to = '\0';
	text->len = (size_t)(to - text->data);
}

/* Adds a signed difference in zigzag encoding, which is short for small negative numbers too. */
static inline void varint_add_signed(struct text *text, uint64_t difference)
{
	varint_add(text, difference << 1 ^ -(difference >> 63));
}

/* Reads a number. Returns false, and consumes nothing, if it is truncated or exceeds 64 bits. */
static inline bool varint_read(struct scan *scan, uint64_t *ret)
{
	uint64_t number = 0;

	for (size_t i = 0; i < VARINT_BYTES_MAX && i < scan_left(scan); i++) {
		uint64_t byte = (unsigned char)scan->at[i];

		if (i == VARINT_BYTES_MAX - 1 && byte > 1)
			return false;
		number |= (byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			scan->at += i + 1;
			*ret = number;
			return true;
		}
	}
	return false;
}

static inline bool varint_read_signed(struct scan *scan, uint64_t *ret)
{
	uint64_t number;

	if (!varint_read(scan, &number))
		return false;
	*ret = number >> 1 ^ -(number & 1);
	return true;
}

/* Reads the number at *AT and advances *AT. Without checks: only for the output of varint_add(). */
static inline uint64_t varint_next(const uint8_t **at)
{
	uint64_t number = 0;
	unsigned int shift = 0;

	for (; **at & 0x80; shift += 7)
		number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
	return number | (uint64_t) * (*at)++ << shift;
}
