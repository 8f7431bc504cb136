// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/json_text.h"

#include <string.h>

#include "util/vec.h"

void json_add_comma(struct text *text)
{
	char before = text->data[text->len - 1];

	if (before != '{' && before != '[')
		text_add_char(text, ',');
}

void json_add_key(struct text *text, const char *key)
{
	json_add_comma(text);
	text_add_char(text, '"');
	text_add_string(text, key);
	text_add(text, "\":", 2);
}

void json_open(struct text *text, const char *key, char bracket)
{
	if (key)
		json_add_key(text, key);
	else
		json_add_comma(text);
	text_add_char(text, bracket);
}

static void add_value(struct text *text, const char *value)
{
	text_add_char(text, '"');
	text_add_json(text, value, strlen(value));
	text_add_char(text, '"');
}

void json_add_string(struct text *text, const char *key, const char *value)
{
	json_add_key(text, key);
	add_value(text, value);
}

void json_add_known(struct text *text, const char *key, const char *value)
{
	if (value && *value)
		json_add_string(text, key, value);
}

void json_add_strings(struct text *text, const char *key, const char *const *values, size_t n)
{
	json_open(text, key, '[');
	array_each(value, values, n) {
		json_add_comma(text);
		add_value(text, *value);
	}
	text_add_char(text, ']');
}

void json_add_unsigned(struct text *text, const char *key, uint64_t value)
{
	json_add_key(text, key);
	text_add_decimal(text, value);
}

void json_add_signed(struct text *text, const char *key, int64_t value)
{
	json_add_key(text, key);
	text_printf(text, "%lld", (long long)value);
}

void json_add_hex(struct text *text, const char *key, uint64_t value)
{
	json_add_key(text, key);
	text_add_char(text, '"');
	text_add_hex(text, value);
	text_add_char(text, '"');
}

void json_add_bool(struct text *text, const char *key, bool value)
{
	json_add_key(text, key);
	text_add_string(text, value ? "true" : "false");
}
