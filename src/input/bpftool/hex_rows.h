/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads bytes in hex, which make up most of a dump: in rows of 16 as bpftool prints them
 * (fprint_hex() in main.c), "00 01 …  08 …", and eight digits anywhere at once.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "input/source.h"
#include "util/text.h"

enum {
	HEX_ROW_BYTES = 16,
	HEX_ROW_LEN = 3 * HEX_ROW_BYTES,
	HEX_MAX = 1 << 20, /* limit on the bytes of a key, a value or an event */
};

/*
 * Consumes the full rows at the start of SOURCE, among the bytes already read, and appends their
 * bytes to TO, up to a length of HEX_MAX. Returns the number of rows.
 */
size_t hex_rows_take(struct source *source, struct text *to);
/*
 * Consumes one byte (two hex digits before a blank or the end) and the blanks after it. Returns
 * false, and consumes nothing, if ROW starts with something else.
 */
bool hex_row_byte(struct scan *row, char *ret);
/*
 * Consumes bytes up to the first other word, and appends them to TO. Returns false if TO would have
 * more than HEX_MAX bytes.
 */
bool hex_row_bytes(struct scan *row, struct text *to);

/*
 * Eight digits are decoded in a 64-bit number: a branch on letter or digit would be mispredicted
 * half of the time.
 */
#define HEX_EACH(n) (0x0101010101010101ULL * (n))

/* Loads eight bytes. The byte at P becomes the lowest. */
static inline uint64_t hex_load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/*
 * Decodes the eight characters of DIGITS, the first of which is the lowest byte, to four bytes.
 * Sets bits in *BAD if one of them is no hex digit.
 */
static inline void hex_bytes(uint64_t digits, char out[static 4], uint64_t *bad)
{
	uint64_t letters = digits >> 6 & HEX_EACH(1);
	uint64_t values = (digits & HEX_EACH(0x0f)) + 9 * letters;
	uint64_t above = values + HEX_EACH(6); /* bit 4 is set if the value is 10 or more */

	/* digits: high nibble 3 and value 0 to 9; letters: high nibble 4 or 6 and value 10 to 15 */
	*bad |= (digits & (HEX_EACH(0xf0) ^ letters << 5)) ^ HEX_EACH(0x30) ^ letters * 0x70;
	*bad |= ((above ^ letters << 4) | values) & HEX_EACH(0x10);
	values = (values << 4 | values >> 8) & 0x00ff00ff00ff00ff;
	values = (values | values >> 8) & 0x0000ffff0000ffff;
	uint32_t bytes = htole32((uint32_t)(values | values >> 16));
	memcpy(out, &bytes, sizeof(bytes));
}
