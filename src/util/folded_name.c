// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/folded_name.h"

#include <stdbool.h>

/* Returns true if C is copied unchanged, whatever bytes are next to it. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != ';';
}

void folded_name_add_part(struct text *text, const char *s, size_t len)
{
	while (len && s[len - 1] == ' ')
		len--;
	for (; len && *s == ' '; len--)
		s++;
	for (size_t i = 0, end; i < len; i = end) {
		for (end = i; end < len && is_plain(s[end]);)
			end++;
		text_add(text, s + i, end - i);
		for (i = end; end < len && !is_plain(s[end]) && s[end] != ';';)
			end++;
		text_add_escaped(text, s + i, end - i);
		for (; end < len && s[end] == ';'; end++)
			text_add_char(text, ':');
	}
}

void folded_name_end(struct text *text, size_t start)
{
	size_t at = text->len;

	if (at == start) {
		text_add_string(text, "[unknown]");
		return;
	}
	while (at > start && (text->data[at - 1] == '.' ||
				     (text->data[at - 1] >= '0' && text->data[at - 1] <= '9')))
		at--;
	if (at > start && at < text->len && text->data[at - 1] == ' ')
		text->data[at - 1] = '_';
}
