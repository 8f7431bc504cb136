// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/line_parts.h"

#define ESCAPE '\033'
enum { UNICODE_DIGITS = 4 };

static bool is_cut(char c, bool quoted)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f || c == '"' ||
	       (quoted && c == '\\');
}

/* `[31m`: parameters up to a letter (ECMA-48, 5.4). */
static void skip_sequence(struct scan *s)
{
	if (!scan_char(s, '['))
		return;
	while (scan_left(s) && *s->at >= 0x20 && *s->at < 0x40)
		s->at++;
	if (scan_left(s))
		s->at++;
}

/* What a backslash escapes: one byte, or `u001b` and perhaps the rest of a colour. */
static void skip_escaped(struct scan *s)
{
	uint64_t number;

	if (!scan_char(s, 'u')) {
		s->at += scan_left(s) > 0;
		return;
	}
	struct scan digits = {
		s->at, s->at + (scan_left(s) < UNICODE_DIGITS ? scan_left(s) : UNICODE_DIGITS)};
	if (!scan_hex(&digits, &number))
		return;
	s->at = digits.at;
	if (number == ESCAPE)
		skip_sequence(s);
}

bool line_parts_next(struct line_parts *parts, struct scan *ret, bool *quoted_ret)
{
	struct scan *rest = &parts->rest;

	if (!scan_left(rest))
		return false;
	*quoted_ret = parts->quoted;
	ret->at = rest->at;
	while (scan_left(rest) && !is_cut(*rest->at, parts->quoted))
		rest->at++;
	ret->end = rest->at;
	if (!scan_left(rest))
		return true;
	char c = *rest->at++;
	if (c == '"')
		parts->quoted = !parts->quoted;
	else if (c == ESCAPE)
		skip_sequence(rest);
	else if (c == '\\')
		skip_escaped(rest);
	return true;
}
