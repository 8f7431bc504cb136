// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/shown_text.h"

#include <stdbool.h>
#include <stdint.h>

static bool is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160},
		{0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
		{0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
		{0xe0000, 0xe00ff}, {0xe01f0, 0xe0fff}};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* That of a valid sequence of N bytes. */
static uint32_t code_of(const char *s, size_t n)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0xf, 0x7};
	uint32_t code = (unsigned char)s[0] & masks[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

void shown_text_add(struct text *text, const char *s, size_t len)
{
	for (size_t at = 0, end, n; at < len; at = end + n) {
		uint32_t code = 0;

		for (end = at, n = 0; end < len; end += n) {
			n = (unsigned char)s[end] < 0x80 ? 1 : text_utf8_length(s + end, len - end);
			n += !n;
			code = n > 1 ? code_of(s + end, n) : 0;
			if (code && is_hidden(code))
				break;
		}
		text_add(text, s + at, end - at);
		if (end == len)
			return;
		text_printf(text, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
	}
}
