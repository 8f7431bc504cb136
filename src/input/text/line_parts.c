// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/line_parts.h"

#define ESCAPE '\033'
enum { UNICODE_DIGITS = 4 };

static const char no_break[] = "\302\240"; /* no-break space, U+00A0 in UTF-8 */

static bool is_cut(char c, bool quoted)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f || c == '"' ||
	       (quoted && c == '\\');
}

/*
 * Skips a colour or another control sequence (ECMA-48, 5.4), as raw bytes or escaped in JSON.
 * Returns false if there is none.
 */
static bool skip_sequence(struct scan *s)
{
	if (!scan_char(s, ESCAPE) && !scan_literal(s, "\\u001b") && !scan_literal(s, "\\u001B"))
		return false;
	if (!scan_char(s, '['))
		return true;
	while (scan_left(s) && *s->at >= 0x20 && *s->at < 0x40)
		s->at++;
	s->at += scan_left(s) > 0;
	return true;
}

static bool is_plain(struct scan line)
{
	return !scan_first(line, ESCAPE) && !scan_find(line, no_break) &&
	       !scan_find(line, "\\u001");
}

struct scan line_plain(struct scan line, struct arena *memory, const char ***positions_ret)
{
	struct scan s = line;
	size_t n = 0;

	*positions_ret = NULL;
	if (is_plain(line))
		return line;
	char *plain = arena_alloc(memory, scan_left(&line));
	const char **positions = arena_alloc(memory, scan_left(&line) * sizeof(*positions));
	while (scan_left(&s)) {
		if (skip_sequence(&s))
			continue;
		positions[n] = s.at;
		plain[n++] = scan_literal(&s, no_break) ? ' ' : *s.at++;
	}
	*positions_ret = positions;
	return (struct scan){plain, plain + n};
}

/* Skips what follows a backslash: one byte, or `u` and four hex digits. */
static void skip_escaped(struct scan *s)
{
	size_t len = scan_starts(*s, "u") ? 1 + UNICODE_DIGITS : 1;

	s->at += len < scan_left(s) ? len : scan_left(s);
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
	else if (c == '\\')
		skip_escaped(rest);
	return true;
}
