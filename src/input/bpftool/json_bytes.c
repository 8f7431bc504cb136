// SPDX-License-Identifier: GPL-2.0-or-later
/* The hot path of a dump: runs of "0x0c","0x71",… */
#include "input/bpftool/json_bytes.h"

#include <string.h>

#include "util/scan.h"

enum {
	UNIT = 7,  /* bytes of "0x0c", with its comma */
	GROUP = 8, /* units decoded at once */
	BAD = 0x100,
};

/* The value of each byte as a hex digit, BAD for another byte. */
static const uint16_t hex_digits[256] = {
	[0 ... '0' - 1] = BAD,
	['0'] = 0,
	['1'] = 1,
	['2'] = 2,
	['3'] = 3,
	['4'] = 4,
	['5'] = 5,
	['6'] = 6,
	['7'] = 7,
	['8'] = 8,
	['9'] = 9,
	['9' + 1 ... 'A' - 1] = BAD,
	['A'] = 10,
	['B'] = 11,
	['C'] = 12,
	['D'] = 13,
	['E'] = 14,
	['F'] = 15,
	['F' + 1 ... 'a' - 1] = BAD,
	['a'] = 10,
	['b'] = 11,
	['c'] = 12,
	['d'] = 13,
	['e'] = 14,
	['f'] = 15,
	['f' + 1 ... 255] = BAD,
};

static inline uint64_t load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Decodes GROUP units at P, of which GROUP * UNIT + 1 bytes are readable. The frame of a unit is
 * compared with one 64-bit operation, its digits are looked up; what is wrong only accumulates.
 */
static inline bool decode_group(const char *p, char *out)
{
	static const char frame[8] = "\"0x\0\0\",";
	static const char mask[8] = "\xff\xff\xff\0\0\xff\xff";
	uint64_t odd = 0, want = load(frame), care = load(mask);
	unsigned values = 0;

	for (int i = 0; i < GROUP; i++, p += UNIT) {
		unsigned value = (unsigned)hex_digits[(unsigned char)p[3]] << 4 |
				 hex_digits[(unsigned char)p[4]];

		odd |= (load(p) ^ want) & care;
		values |= value;
		out[i] = (char)value;
	}
	return !odd && values < BAD;
}

/* Consumes as many groups as are in the window; each ends after a comma. */
static bool decode_groups(struct json *json, size_t max, struct text *ret)
{
	struct source *source = json->source;
	const char *p = source->at;
	char out[GROUP];

	while (source->end - p > GROUP * UNIT && max - ret->len >= GROUP && decode_group(p, out)) {
		text_add(ret, out, GROUP);
		p += GROUP * UNIT;
	}
	if (p == source->at)
		return false;
	source->at = p;
	json->expect = JSON_EXPECT_VALUE;
	return true;
}

/* The length of the element at the source's `at`: up to a comma, bracket or white space. */
static size_t element_length(struct source *source, size_t limit)
{
	size_t len = 0;

	while (len < limit && source_has_bytes(source, len + 1) &&
		!memchr(",]} \t\r\n", source->at[len], 7))
		len++;
	return len;
}

/* "0x0c" or "0xc" of LEN bytes; with NUMBERS, 0 to 255 too. */
static bool element_value(const char *p, size_t len, bool numbers, uint64_t *ret)
{
	struct scan scan = {p, p + len};

	if (scan_literal(&scan, "\"0x") && len <= 6)
		return scan_hex(&scan, ret) && scan_char(&scan, '"') && !scan_left(&scan);
	if (!numbers || len > 3 || (len > 1 && *p == '0'))
		return false;
	scan.at = p;
	return scan_decimal(&scan, ret) && !scan_left(&scan) && *ret < 256;
}

/* The first byte that is no white space, 0 at the end. */
static char skip_space(struct source *source)
{
	while (source_has(source)) {
		if (!memchr(" \t\r\n", *source->at, 4))
			return *source->at;
		source->at++;
	}
	return '\0';
}

/* Decodes one element and what separates it from the next one. */
static bool decode_element(struct json *json, bool numbers, struct text *ret)
{
	struct source *source = json->source;
	uint64_t value;

	if (!skip_space(source))
		return false;
	size_t len = element_length(source, UNIT);
	if (!element_value(source->at, len, numbers, &value))
		return false;
	text_add_char(ret, (char)value);
	source->at += len;
	json->expect = JSON_EXPECT_NEXT;
	if (skip_space(source) != ',')
		return false;
	source->at++;
	json->expect = JSON_EXPECT_VALUE;
	return true;
}

enum json_run json_bytes(struct json *json, bool numbers, size_t max, struct text *ret)
{
	while (ret->len < max)
		if (!decode_groups(json, max, ret) && !decode_element(json, numbers, ret))
			break;
	if (json->expect == JSON_EXPECT_VALUE || skip_space(json->source) != ']')
		return JSON_RUN_OTHER;
	return json_next(json) == JSON_ARRAY_END ? JSON_RUN_ENDED : JSON_RUN_OTHER;
}
