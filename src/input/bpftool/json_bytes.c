// SPDX-License-Identifier: GPL-2.0-or-later
/* The hot path for dumps: runs of "0x0c","0x71",… */
#include "input/bpftool/json.h"

#include "input/bpftool/hex_rows.h"
#include "util/scan.h"

enum {
	UNIT = 7,  /* length of "0x0c", with its comma */
	GROUP = 4, /* units decoded at once */
};

/*
 * Decodes GROUP units at P, where GROUP * UNIT + 1 bytes must be readable. Compares everything in a
 * unit but its digits in one 64-bit operation, and decodes all digits at once. Errors are only
 * accumulated, which avoids branches. Returns false if there were any.
 */
static inline bool decode_group(const char *p, char *out)
{
	static const char frame[8] = "\"0x\0\0\",";
	static const char mask[8] = "\xff\xff\xff\0\0\xff\xff";
	uint64_t bad = 0, digits = 0;

#pragma GCC unroll 4
	for (int i = 0; i < GROUP; i++, p += UNIT) {
		uint16_t two;

		memcpy(&two, p + 3, sizeof(two));
		bad |= hex_load(p) ^ hex_load(frame);
		digits |= (uint64_t)le16toh(two) << 16 * i;
	}
	bad &= hex_load(mask);
	hex_bytes(digits, out, &bad);
	return !bad;
}

/* Consumes the groups at the start of the window. Returns false if there are none. */
static bool decode_groups(struct json *json, size_t max, struct text *ret)
{
	struct source *source = json->source;
	const char *p = source->at;
	size_t groups = (size_t)(source->end - p) / (GROUP * UNIT + 1);

	if (groups > (max - ret->len) / GROUP)
		groups = (max - ret->len) / GROUP;
	text_reserve(ret, groups * GROUP);
	char *to = ret->data + ret->len;
	for (; groups && decode_group(p, to); groups--, to += GROUP)
		p += GROUP * UNIT;
	*to = '\0';
	ret->len = (size_t)(to - ret->data);
	if (p == source->at)
		return false;
	source->at = p;
	json->expect = JSON_EXPECT_VALUE;
	return true;
}

static bool ends_element(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Decodes the LEN bytes "0x0c" or "0xc" or, with NUMBERS, 0 to 255. */
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

/* Decodes one element and the comma after it. Returns false if either is missing. */
static bool decode_element(struct json *json, bool numbers, struct text *ret)
{
	struct source *source = json->source;
	uint64_t value;
	size_t len = 0;

	if (json_skip_space(source) < 0)
		return false;
	while (len < UNIT && source_has_bytes(source, len + 1) && !ends_element(source->at[len]))
		len++;
	if (!element_value(source->at, len, numbers, &value))
		return false;
	text_add_char(ret, (char)value);
	source->at += len;
	json->expect = JSON_EXPECT_NEXT;
	if (json_skip_space(source) != ',')
		return false;
	source->at++;
	json->expect = JSON_EXPECT_VALUE;
	return true;
}

bool json_bytes(struct json *json, bool numbers, size_t max, struct text *ret)
{
	while (ret->len < max)
		if (!decode_groups(json, max, ret) && !decode_element(json, numbers, ret))
			break;
	return json->expect != JSON_EXPECT_VALUE && json_skip_space(json->source) == ']' &&
	       json_next(json) == JSON_ARRAY_END;
}
