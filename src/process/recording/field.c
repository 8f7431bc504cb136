// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/field.h"

#include <string.h>

bool field_decimal(struct scan *s, uint64_t *ret)
{
	return scan_char(s, ' ') && scan_decimal(s, ret);
}

bool field_hex(struct scan *s, uint64_t *ret)
{
	return scan_char(s, ' ') && scan_hex(s, ret);
}

bool field_word(struct scan *s, struct scan *ret)
{
	return scan_char(s, ' ') && scan_word(s, ret);
}

bool field_pid(struct scan *s, uint32_t *ret)
{
	uint64_t pid;

	if (!field_decimal(s, &pid) || pid > INT32_MAX)
		return false;
	*ret = (uint32_t)pid;
	return true;
}

bool field_build_id(struct scan *s, struct build_id *ret)
{
	struct scan word;

	if (!field_word(s, &word))
		return false;
	*ret = (struct build_id){};
	return (scan_left(&word) == 1 && *word.at == '-') ||
	       build_id_parse(word.at, scan_left(&word), ret);
}

bool field_string(struct scan *s, struct text *ret)
{
	if (!scan_char(s, ' '))
		return false;
	for (const char *p = s->at; p < s->end; p++) {
		if (*p == '%' && s->end - p > 2 && scan_hex_digit(p[1]) >= 0 &&
			scan_hex_digit(p[2]) >= 0) {
			text_add_char(
				ret, (char)(scan_hex_digit(p[1]) << 4 | scan_hex_digit(p[2])));
			p += 2;
		} else {
			text_add_char(ret, *p);
		}
	}
	return true;
}

bool field_name(struct scan *s, struct arena *strings, const char **ret)
{
	struct text text = {};
	bool good = field_string(s, &text) && (!text.len || !memchr(text.data, 0, text.len));

	if (good)
		*ret = arena_string(strings, text.len ? text.data : "");
	text_deinit(&text);
	return good;
}
