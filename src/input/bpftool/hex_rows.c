// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/hex_rows.h"

const uint8_t hex_digits[256] = {['0'] = 1,
	['1'] = 2,
	['2'] = 3,
	['3'] = 4,
	['4'] = 5,
	['5'] = 6,
	['6'] = 7,
	['7'] = 8,
	['8'] = 9,
	['9'] = 10,
	['a'] = 11,
	['b'] = 12,
	['c'] = 13,
	['d'] = 14,
	['e'] = 15,
	['f'] = 16,
	['A'] = 11,
	['B'] = 12,
	['C'] = 13,
	['D'] = 14,
	['E'] = 15,
	['F'] = 16};

/* The bytes of a row and its newline, which begin at LINE. False: something else stands there. */
static bool decode(const char *line, char bytes[static HEX_ROW_BYTES])
{
	bool good = line[HEX_ROW_LEN] == '\n' && line[HEX_ROW_LEN / 2] == ' ';

	for (unsigned i = 0; i < HEX_ROW_BYTES; i++) {
		const char *at = line + 3 * i + i / (HEX_ROW_BYTES / 2);
		unsigned high = hex_digits[(uint8_t)at[0]], low = hex_digits[(uint8_t)at[1]];

		good &= high && low && (at[2] == ' ' || i + 1 == HEX_ROW_BYTES);
		bytes[i] = (char)((high - 1) << 4 | (low - 1));
	}
	return good;
}

size_t hex_rows_take(struct source *source, struct text *to, size_t max)
{
	char bytes[HEX_ROW_BYTES];
	size_t n = 0;

	while (source->end - source->at > HEX_ROW_LEN && to->len + HEX_ROW_BYTES <= max &&
		decode(source->at, bytes)) {
		text_add(to, bytes, HEX_ROW_BYTES);
		source->at += HEX_ROW_LEN + 1;
		n++;
	}
	return n;
}
