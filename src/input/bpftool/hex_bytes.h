/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes eight hexadecimal digits at once, in a 64-bit number. Most of a dump is such digits, and
 * a branch on letter or digit would be mispredicted half of the time.
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

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
