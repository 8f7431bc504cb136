// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/hex_rows.h"

enum { GROUP = 4, GROUP_LEN = 3 * GROUP }; /* bytes decoded at once */

/*
 * Decodes GROUP bytes at P, like "00 01 02 03", which END must follow. Sets bits in *BAD if the
 * text has another form.
 */
static inline void decode_group(const char *p, char end, char *out, uint64_t *bad)
{
	uint64_t first = hex_load(p), last = hex_load(p + GROUP_LEN - 8);

	*bad |= (first ^ 0x0000200000200000) & 0x0000ff0000ff0000;
	*bad |= (last ^ ((uint64_t)end << 56 | 0x2000000000)) & 0xff0000ff00000000;
	hex_bytes(
		(first & 0xffff) | (first >> 8 & 0xffff0000) | first >> 48 << 32 | last >> 40 << 48,
		out, bad);
}

/* Decodes the row at LINE, up to its newline. Returns false if the text has another form. */
static bool decode(const char *line, char bytes[static HEX_ROW_BYTES])
{
	const char *half = line + HEX_ROW_LEN / 2 + 1;
	uint64_t bad = line[HEX_ROW_LEN / 2] ^ ' ';

	decode_group(line, ' ', bytes, &bad);
	decode_group(line + GROUP_LEN, ' ', bytes + GROUP, &bad);
	decode_group(half, ' ', bytes + 2 * GROUP, &bad);
	decode_group(half + GROUP_LEN, '\n', bytes + 3 * GROUP, &bad);
	return !bad;
}

size_t hex_rows_take(struct source *source, struct text *to)
{
	size_t rows = (size_t)(source->end - source->at) / (HEX_ROW_LEN + 1), n = 0;

	if (to->len >= HEX_MAX)
		return 0;
	if (rows > (HEX_MAX - to->len) / HEX_ROW_BYTES)
		rows = (HEX_MAX - to->len) / HEX_ROW_BYTES;
	text_reserve(to, rows * HEX_ROW_BYTES);
	for (; n < rows && decode(source->at, to->data + to->len); n++) {
		to->len += HEX_ROW_BYTES;
		source->at += HEX_ROW_LEN + 1;
	}
	to->data[to->len] = '\0';
	return n;
}

bool hex_row_byte(struct scan *row, char *ret)
{
	int high, low;

	if (scan_left(row) < 2 || (high = scan_hex_digit(row->at[0])) < 0 ||
		(low = scan_hex_digit(row->at[1])) < 0)
		return false;
	if (scan_left(row) > 2 && row->at[2] != ' ' && row->at[2] != '\t')
		return false;
	*ret = (char)(high << 4 | low);
	row->at += 2;
	scan_blanks(row);
	return true;
}

bool hex_row_bytes(struct scan *row, struct text *to)
{
	char byte;

	scan_blanks(row);
	while (hex_row_byte(row, &byte)) {
		if (to->len == HEX_MAX)
			return false;
		text_add_char(to, byte);
	}
	return true;
}
