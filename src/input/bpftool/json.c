// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/frame.h"
#include "util/scan.h"
#include "util/xalloc.h"

void json_init(struct json *json, struct source *source, bool lenient)
{
	*json = (struct json){.source = source, .lenient = lenient, .item = source_offset(source)};
}

void json_deinit(struct json *json)
{
	text_deinit(&json->text);
	free(json->problem);
	json->problem = NULL;
}

char *json_position(const struct json *json, uint64_t offset)
{
	return xasprintf("%s: byte %" PRIu64, json->source->name, offset);
}

static enum json_token __attribute__((format(printf, 3, 4)))
fail(struct json *json, uint64_t offset, const char *format, ...)
{
	struct text text = {};
	va_list args;

	if (json->problem)
		return JSON_ERROR;
	text_printf(&text, "%s: byte %" PRIu64 ": ", json->source->name, offset);
	va_start(args, format);
	text_vprintf(&text, format, args);
	va_end(args);
	json->problem = text_take(&text);
	return JSON_ERROR;
}

static enum json_token fail_cut(struct json *json)
{
	json->cut = true;
	return fail(json, source_offset(json->source), "the JSON text ends before it is complete");
}

static enum json_token fail_byte(struct json *json, const char *expected)
{
	unsigned char c = (unsigned char)*json->source->at;
	uint64_t offset = source_offset(json->source);

	return fail(json, offset,
		c > 0x20 && c < 0x7f ? "expected %s, not '%c'" : "expected %s, not byte 0x%02x",
		expected, c);
}

static bool in_object(const struct json *json)
{
	return json->depth && json->objects[json->depth - 1];
}

/* ---- strings ---- */

static void add_code_point(struct text *text, uint32_t c)
{
	if (c < 0x80) {
		text_add_char(text, (char)c);
		return;
	}
	if (c < 0x800) {
		text_add_char(text, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			text_add_char(text, (char)(0xe0 | c >> 12));
		} else {
			text_add_char(text, (char)(0xf0 | c >> 18));
			text_add_char(text, (char)(0x80 | (c >> 12 & 63)));
		}
		text_add_char(text, (char)(0x80 | (c >> 6 & 63)));
	}
	text_add_char(text, (char)(0x80 | (c & 63)));
}

/* Reads the escape at the source's \u. A surrogate without its other half becomes U+FFFD. */
static bool unicode_escape(struct json *json)
{
	struct source *source = json->source;
	uint64_t c, low;

	if (!source_has_bytes(source, 6))
		return fail_cut(json);
	if (!scan_all_hex((struct scan){source->at + 2, source->at + 6}, &c))
		return fail(json, source_offset(source), "\\u without four hex digits");
	source->at += 6;
	if (c >= 0xd800 && c < 0xdc00 && source_has_bytes(source, 2) && source->at[0] == '\\' &&
		source->at[1] == 'u' && source_has_bytes(source, 6) &&
		scan_all_hex((struct scan){source->at + 2, source->at + 6}, &low) &&
		low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		source->at += 6;
	}
	add_code_point(&json->text, c >= 0xd800 && c < 0xe000 ? 0xfffd : (uint32_t)c);
	return true;
}

static bool escape(struct json *json)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	struct source *source = json->source;

	if (!source_has_bytes(source, 2))
		return fail_cut(json);
	if (source->at[1] == 'u')
		return unicode_escape(json);
	const char *name = source->at[1] ? strchr(names, source->at[1]) : NULL;
	if (!name)
		return fail(json, source_offset(source), "unknown escape in a string");
	text_add_char(&json->text, values[name - names]);
	source->at += 2;
	return true;
}

/* bpftool always escapes a newline, so a raw one means that the dump was cut there. */
static bool odd_byte(struct json *json, const char *what)
{
	if (!json->lenient || *json->source->at == '\n')
		return fail(json, source_offset(json->source), "%s in a string", what);
	text_add_char(&json->text, *json->source->at++);
	return true;
}

static bool not_ascii(struct json *json)
{
	struct source *source = json->source;
	unsigned char c = (unsigned char)*source->at;

	source_has_bytes(source, c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2);
	size_t len = text_utf8_length(source->at, (size_t)(source->end - source->at));
	if (!len) {
		if (json->lenient && !json->not_utf8++)
			json->not_utf8_at = source_offset(source);
		return odd_byte(json, "bytes that are not UTF-8");
	}
	text_add(&json->text, source->at, len);
	source->at += len;
	return true;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Reads the string at the source's " into `text`. */
static bool read_string(struct json *json)
{
	struct source *source = json->source;

	text_clear(&json->text);
	source->at++;
	for (;;) {
		const char *p = source->at;
		while (p < source->end && is_plain((unsigned char)*p))
			p++;
		text_add(&json->text, source->at, (size_t)(p - source->at));
		source->at = p;
		if (json->text.len > JSON_TOKEN_MAX)
			return fail(json, json->start, "a string longer than a megabyte");
		if (!source_has(source))
			return fail_cut(json);
		unsigned char c = (unsigned char)*source->at;
		if (c == '"')
			break;
		if (!is_plain(c) && !(c == '\\'		? escape(json)
					    : c >= 0x80 ? not_ascii(json)
							: odd_byte(json, "a raw control byte")))
			return false;
	}
	source->at++;
	return true;
}

/* ---- numbers and words ---- */

static bool is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' ||
	       c == '+' || c == '.' || c == '_' || c == '(' || c == ')';
}

static const char *digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* RFC 8259 section 6: [ minus ] int [ frac ] [ exp ] */
static bool is_number(const char *p)
{
	const char *start = p += *p == '-';

	p = digits(p);
	if (p == start || (*start == '0' && p > start + 1))
		return false;
	if (*p == '.') {
		start = ++p;
		p = digits(p);
		if (p == start)
			return false;
	}
	if ((*p | 32) == 'e') {
		p++;
		start = p += *p == '+' || *p == '-';
		p = digits(p);
		if (p == start)
			return false;
	}
	return !*p;
}

static enum json_token read_word(struct json *json)
{
	struct source *source = json->source;

	text_clear(&json->text);
	do {
		const char *p = source->at;
		while (p < source->end && is_word((unsigned char)*p))
			p++;
		text_add(&json->text, source->at, (size_t)(p - source->at));
		source->at = p;
		if (json->text.len > JSON_TOKEN_MAX)
			return fail(json, json->start, "a number longer than a megabyte");
	} while (source->at == source->end && source_more(source));
	if (!json->text.len)
		return fail_byte(json, "a value");
	const char *word = json->text.data;
	enum json_token token = is_number(word)		 ? JSON_NUMBER
				: !strcmp(word, "true")	 ? JSON_TRUE
				: !strcmp(word, "false") ? JSON_FALSE
				: !strcmp(word, "null")	 ? JSON_NULL
							 : JSON_BARE;
	if (token == JSON_BARE && source->ended && source->at == source->end && json->depth)
		return fail_cut(json);
	if (token == JSON_BARE && !json->lenient)
		return fail(json, json->start, "neither a number nor true, false or null");
	json->expect = JSON_EXPECT_NEXT;
	return token;
}

bool json_integer(const struct json *json, uint64_t *ret)
{
	if (!json->text.len || strlen(json->text.data) != json->text.len)
		return false;
	if (!strcmp(json->text.data, "(nil)")) {
		*ret = 0;
		return true;
	}
	return scan_whole_number(json->text.data, ret);
}

/* ---- the grammar ---- */

static enum json_token read_value(struct json *json)
{
	char c = *json->source->at;

	if (c == '"') {
		if (!read_string(json))
			return JSON_ERROR;
		json->expect = JSON_EXPECT_NEXT;
		return JSON_STRING;
	}
	if (c != '{' && c != '[')
		return read_word(json);
	if (json->depth == JSON_DEPTH_MAX)
		return fail(json, json->start, "nested deeper than %d levels", JSON_DEPTH_MAX);
	json->objects[json->depth++] = c == '{';
	json->source->at++;
	json->expect = JSON_EXPECT_FIRST;
	return c == '{' ? JSON_OBJECT : JSON_ARRAY;
}

/* Reads the name of a member, which must be at the source's `at`. */
static enum json_token read_name(struct json *json)
{
	if (*json->source->at != '"')
		return fail_byte(json, "a member's name");
	if (!read_string(json))
		return JSON_ERROR;
	int c = json_skip_space(json->source);
	if (c < 0)
		return fail_cut(json);
	if (c != ':')
		return fail_byte(json, "':'");
	json->source->at++;
	json->expect = JSON_EXPECT_VALUE;
	return JSON_NAME;
}

enum json_token json_next(struct json *json)
{
	struct source *source = json->source;
	bool object = in_object(json), next = json->expect == JSON_EXPECT_NEXT;
	bool may_end = json->expect != JSON_EXPECT_VALUE;

	if (json->problem)
		return JSON_ERROR;
	if (next && !json->depth)
		return JSON_END;
	int c = json_skip_space(source);
	if (c < 0)
		return fail_cut(json);
	json->start = source_offset(source);
	if (json->start - json->item > SOURCE_SKIP_MAX)
		return fail(json, json->item,
			"the value that begins here does not end within %d MB",
			SOURCE_SKIP_MAX >> 20);
	if (may_end && c == (object ? '}' : ']')) {
		json->depth--;
		source->at++;
		json->expect = JSON_EXPECT_NEXT;
		return object ? JSON_OBJECT_END : JSON_ARRAY_END;
	}
	if (json->lenient && may_end && !object && c == 'k' && source_has_bytes(source, 4) &&
		!memcmp(source->at, "key:", 4))
		return JSON_BREAK;
	if (next) {
		if (c != ',')
			return fail_byte(json, object ? "',' or '}'" : "',' or ']'");
		source->at++;
		if (json_skip_space(source) < 0)
			return fail_cut(json);
		json->start = source_offset(source);
	}
	return may_end && object ? read_name(json) : read_value(json);
}

bool json_skip_rest(struct json *json)
{
	unsigned outer = json->depth - 1;

	while (json->depth > outer) {
		enum json_token token = json_next(json);

		if (token == JSON_ERROR)
			return false;
		/* only elements of a dump have it, and they are not skipped */
		if (token == JSON_BREAK)
			return fail_byte(json, "an element");
	}
	return true;
}

bool json_skip(struct json *json, enum json_token token)
{
	if (token == JSON_OBJECT || token == JSON_ARRAY)
		return json_skip_rest(json);
	return token != JSON_ERROR;
}

size_t json_name_in(const struct json *json, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(json->text.data, names[i]) != 0)
		i++;
	return i;
}

/* ---- members of objects ---------------------------------------------------------------------- */

static bool wrong(struct json_members *members, const char *problem)
{
	if (!members->problem)
		members->problem = problem;
	return false;
}

static bool read_member(struct json_members *members, const struct json_member *member,
	enum json_token token, void *to)
{
	struct json *json = members->json;
	const struct text *text = &json->text;
	void *field = (char *)to + member->at;
	uint64_t value;

	if (members->arena->bytes > members->memory_max)
		return wrong(members, "it is too large");
	switch (member->kind) {
	case JSON_MEMBER_TEXT:
		if (token != JSON_STRING)
			return wrong(members, "a member that must be a string is not one");
		*(const char **)field =
			name_limit_copy(members->arena, text->len ? text->data : "", text->len);
		return true;
	case JSON_MEMBER_NUMBER:
		if ((token != JSON_NUMBER && token != JSON_STRING) || !json_integer(json, &value))
			return wrong(members, "a member that must be a number is not one");
		*(struct json_number *)field = (struct json_number){value, true};
		return true;
	case JSON_MEMBER_FLAG:
		if (token != JSON_TRUE && token != JSON_FALSE)
			return wrong(members, "a member that must be true or false is neither");
		*(bool *)field = token == JSON_TRUE;
		return true;
	case JSON_MEMBER_OTHER:
		break;
	}
	return member->read(members, token, field);
}

bool json_members_read(
	struct json_members *members, const struct json_member *table, size_t n, void *to)
{
	struct json *json = members->json;

	for (;;) {
		enum json_token token = json_next(json);
		const char *name = json->text.len ? json->text.data : "";
		const struct json_member *member = NULL;

		if (token == JSON_OBJECT_END)
			return true;
		if (token != JSON_NAME)
			return false;
		for (size_t i = 0; !member && i < n; i++)
			if (!strcmp(table[i].name, name))
				member = &table[i];
		token = json_next(json);
		if (token == JSON_ERROR)
			return false;
		if (member ? !read_member(members, member, token, to) : !json_skip(json, token))
			return false;
	}
}
