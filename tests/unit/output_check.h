/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads our output as others do: folded lines like flamegraph.pl, JSON lines by RFC 8259. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "util/scan.h"
#include "util/text.h"

/* What /^(.*)\s+?(\d+(?:\.\d*)?)$/ of flamegraph.pl takes off the end: the new length, 0: nothing.
 */
static inline size_t folded_cut_number(const char *s, size_t len)
{
	size_t digits = len, at;

	while (digits && strchr("0123456789", s[digits - 1]))
		digits--;
	at = digits;
	if (digits && s[digits - 1] == '.')
		for (at = digits - 1; at && strchr("0123456789", s[at - 1]);)
			at--;
	bool number = at < len && s[at] != '.';
	return number && at && strchr(" \t\n\v\f\r", s[at - 1]) ? at - 1 : 0;
}

/* A JSON string; all of it valid UTF-8, no control bytes. */
static inline bool json_string(struct scan *scan)
{
	if (!scan_char(scan, '"'))
		return false;
	while (scan->at < scan->end && *scan->at != '"') {
		size_t n = text_utf8_length(scan->at, scan_left(scan));
		uint64_t code;

		if (n == 0 || (n == 1 && (unsigned char)*scan->at < 0x20))
			return false;
		if (scan_literal(scan, "\\u")) {
			struct scan digits = {scan->at, scan->at + 4};

			if (scan_left(scan) < 4 || !scan_hex(&digits, &code) ||
				digits.at != digits.end)
				return false;
			n = 4;
		} else if (scan_char(scan, '\\')) {
			n = 1;
			if (!scan_left(scan) || !strchr("\"\\/bfnrt", *scan->at))
				return false;
		}
		scan->at += n;
	}
	return scan_char(scan, '"');
}

static inline bool json_value(struct scan *scan, int depth);

/* The text between the brackets, including CLOSE. */
static inline bool json_members(struct scan *scan, char close, int depth)
{
	if (scan_char(scan, close))
		return true;
	do {
		if (close == '}' && !(json_string(scan) && scan_char(scan, ':')))
			return false;
		if (!json_value(scan, depth))
			return false;
	} while (scan_char(scan, ','));
	return scan_char(scan, close);
}

/* The JSON that we write: no white space, whole numbers, no null. */
static inline bool json_value(struct scan *scan, int depth)
{
	uint64_t number;

	if (depth == 0 || !scan_left(scan))
		return false;
	if (scan_char(scan, '{'))
		return json_members(scan, '}', depth - 1);
	if (scan_char(scan, '['))
		return json_members(scan, ']', depth - 1);
	if (*scan->at == '"')
		return json_string(scan);
	if (scan_literal(scan, "true") || scan_literal(scan, "false"))
		return true;
	scan_char(scan, '-');
	return scan_decimal(scan, &number);
}

/* Every line of S is one JSON object. */
static inline bool json_lines_valid(const char *s, size_t len)
{
	struct scan lines = {s, s + len}, line;

	while (scan_line(&lines, &line))
		if (!json_value(&line, 8) || line.at != line.end)
			return false;
	return true;
}
