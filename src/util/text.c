// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/text.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

void text_deinit(struct text *text)
{
	free(text->data);
	*text = (struct text){};
}

char *text_take(struct text *text)
{
	char *s = text->data ?: xstrdup("");

	*text = (struct text){};
	return s;
}

void text_clear(struct text *text)
{
	text->len = 0;
	if (text->data)
		text->data[0] = '\0';
}

void text_grow(struct text *text, size_t more)
{
	size_t want = text->len + more + 1;
	size_t cap = text->cap + text->cap / 2 + 32;
	text->cap = cap > want ? cap : want;
	text->data = xreallocarray(text->data, text->cap, 1);
}

void text_add(struct text *text, const char *s, size_t len)
{
	text_reserve(text, len);
	if (len)
		memcpy(text->data + text->len, s, len);
	text->len += len;
	text->data[text->len] = '\0';
}

void text_add_string(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

void text_add_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

void text_add_hex(struct text *text, uint64_t number)
{
	char digits[18];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	digits[--at] = 'x';
	digits[--at] = '0';
	text_add(text, digits + at, sizeof(digits) - at);
}

void text_add_decimal(struct text *text, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	text_add(text, digits + at, sizeof(digits) - at);
}

void text_vprintf(struct text *text, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		len = 0;
	text_reserve(text, (size_t)len);
	vsnprintf(text->data + text->len, (size_t)len + 1, format, args);
	text->len += (size_t)len;
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(text, format, args);
	va_end(args);
}

size_t text_utf8_length(const char *s, size_t len)
{
	unsigned char c = (unsigned char)s[0], d = len > 1 ? (unsigned char)s[1] : 0;

	if (c < 0x80)
		return 1;
	size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || len < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f))
		return 0; /* overlong, or a surrogate */
	if ((c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f))
		return 0; /* overlong, or above U+10FFFF */
	return n;
}

/*
 * Returns true for characters without a glyph, and those that change the text direction or end a
 * line.
 */
static bool is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160},
		{0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
		{0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
		{0xe0000, 0xe00ff}, {0xe01f0, 0xe0fff}};

	array_each(range, ranges, array_len(ranges))
		if (code >= range->first && code <= range->last)
			return true;
	return false;
}

/* Decodes a valid UTF-8 sequence of N bytes. */
static uint32_t code_of(const char *s, size_t n)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0xf, 0x7};
	uint32_t code = (unsigned char)s[0] & masks[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

static void add_escaped_sequence(struct text *text, const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0], d = n == 2 ? (unsigned char)s[1] : 0;

	if (n == 0 || c < 0x20 || c == 0x7f)
		text_printf(text, "\\x%02x", c);
	else if (c == 0xc2 && d < 0xa0)
		text_printf(text, "\\x%02x\\x%02x", c, d);
	else if (n > 1 && is_hidden(code_of(s, n)))
		text_printf(text, n > 3 ? "\\U%08x" : "\\u%04x", code_of(s, n));
	else
		text_add(text, s, n);
}

/*
 * Adds runs of printable ASCII unchanged, up to '"' or '\\'. Calls ADD for each UTF-8 sequence of N
 * bytes in between; N is 0 for a byte that is not valid UTF-8.
 */
static void add_runs(struct text *text, const char *s, size_t len,
	void (*add)(struct text *text, const char *s, size_t n))
{
	for (size_t i = 0; i < len;) {
		size_t start = i;

		while (i < len && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
			i++;
		text_add(text, s + start, i - start);
		if (i == len)
			break;
		size_t n = text_utf8_length(s + i, len - i);
		add(text, s + i, n);
		i += n ?: 1;
	}
}

void text_add_escaped(struct text *text, const char *s, size_t len)
{
	add_runs(text, s, len, add_escaped_sequence);
}

void text_add_escaped_string(struct text *text, const char *s)
{
	text_add_escaped(text, s, strlen(s));
}

void text_printf_escaped(struct text *text, const char *format, ...)
{
	auto_text struct text plain = {};
	va_list args;

	va_start(args, format);
	text_vprintf(&plain, format, args);
	va_end(args);
	text_add_escaped(text, plain.data, plain.len);
}

static void add_json_sequence(struct text *text, const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];
	uint32_t code = n > 1 ? code_of(s, n) : c;

	if (n == 0)
		text_add_string(text, "\\ufffd");
	else if (c == '"' || c == '\\')
		text_printf(text, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		text_printf(text, "\\u%04x", c);
	else if (n > 3 && is_hidden(code))
		text_printf(text, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
	else if (n > 1 && is_hidden(code))
		text_printf(text, "\\u%04x", code);
	else
		text_add(text, s, n);
}

void text_add_json(struct text *text, const char *s, size_t len)
{
	add_runs(text, s, len, add_json_sequence);
}

void text_add_scan(struct text *text, struct scan s)
{
	text_add(text, s.at, scan_left(&s));
}

struct scan text_scan(const struct text *text)
{
	const char *at = text->len ? text->data : "";

	return (struct scan){at, at + text->len};
}

bool text_equal(const struct text *a, const struct text *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

bool text_ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && !strcmp(s + len - end_len, end);
}

void text_add_xml(struct text *text, const char *s, size_t len)
{
	static const char *const escapes[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < array_len(escapes) && escapes[c])
			text_add_string(text, escapes[c]);
		else
			text_add_char(text, s[i]);
	}
}

void text_add_base64(struct text *text, const char *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t group = 0;

		for (size_t j = i; j < i + 3; j++)
			group = group << 8 | (j < len ? (unsigned char)bytes[j] : 0);
		for (size_t j = 0; j < 4; j++)
			text_add_char(text, i + j > len ? '=' : digits[group >> (18 - 6 * j) & 63]);
	}
}

size_t text_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

bool text_matches(const char *s, size_t len, const char *pattern)
{
	const char *end = s + len, *star = NULL, *again = s;

	while (s < end) {
		if (*pattern == '*') {
			star = pattern++;
			again = s;
		} else if (*pattern && (*pattern == '?' || *pattern == *s)) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star + 1;
			s = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
