// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/layout.h"

#include <stdlib.h>
#include <string.h>

#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

#define NESTING_MAX 8
#define RECORD_WIDTH 32 /* struct bpf_stack_build_id */

struct type {
	uint8_t width, align;
	bool is_signed, is_char, is_record;
};

static const struct {
	const char *name;
	struct type type;
} types[] = {
	{"u8", {1, 1, .is_signed = false}},
	{"u16", {2, 2, .is_signed = false}},
	{"u32", {4, 4, .is_signed = false}},
	{"u64", {8, 8, .is_signed = false}},
	{"s8", {1, 1, .is_signed = true}},
	{"s16", {2, 2, .is_signed = true}},
	{"s32", {4, 4, .is_signed = true}},
	{"s64", {8, 8, .is_signed = true}},
	{"char", {1, 1, .is_signed = true, .is_char = true}},
	{"bool", {1, 1, .is_signed = false}},
	{"_Bool", {1, 1, .is_signed = false}},
	{"short", {2, 2, .is_signed = true}},
	{"int", {4, 4, .is_signed = true}},
	{"long", {8, 8, .is_signed = true}},
	{"pid_t", {4, 4, .is_signed = true}},
	{"size_t", {8, 8, .is_signed = false}},
	{"ssize_t", {8, 8, .is_signed = true}},
	{"uid_t", {4, 4, .is_signed = false}},
	{"gid_t", {4, 4, .is_signed = false}},
	{"dev_t", {4, 4, .is_signed = false}},
};

struct parser {
	struct scan scan;
	const char *text, *option;
	struct layout layout;
	struct text path; /* prefix of the names at this place */
	size_t offset;	  /* where the next field may begin */
	size_t align;	  /* largest so far, of the struct being read */
	int nesting;
};

static struct error *fail(const struct parser *parser, const char *what)
{
	return error_create(ERROR_USAGE,
		"%s, column %zu: %s; expected, for example, 'u32 pid; s32 user; char comm[16]'",
		parser->option, (size_t)(parser->scan.at - parser->text) + 1, what);
}

static void skip_space(struct parser *parser)
{
	struct scan *scan = &parser->scan;

	while (scan->at < scan->end &&
		(*scan->at == ' ' || (*scan->at >= '\t' && *scan->at <= '\r')))
		scan->at++;
}

static bool accept(struct parser *parser, char c)
{
	skip_space(parser);
	return scan_char(&parser->scan, c);
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The identifier at the cursor; empty if there is none. */
static struct scan peek_word(struct parser *parser)
{
	skip_space(parser);
	struct scan word = {parser->scan.at, parser->scan.at};

	if (word.at < parser->scan.end && *word.at >= '0' && *word.at <= '9')
		return word;
	while (word.end < parser->scan.end && is_word_char(*word.end))
		word.end++;
	return word;
}

static bool word_is(struct scan word, const char *s)
{
	return scan_left(&word) == strlen(s) && !memcmp(word.at, s, strlen(s));
}

static bool accept_word(struct parser *parser, const char *s)
{
	struct scan word = peek_word(parser);

	if (!word_is(word, s))
		return false;
	parser->scan.at = word.end;
	return true;
}

static bool find_type(struct scan word, struct type *ret)
{
	char name[16];
	size_t len = scan_left(&word);

	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, word.at, len);
	name[len] = '\0';
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(name, types[i].name))
			continue;
		*ret = types[i].type;
		return true;
	}
	return false;
}

/* __u32, uint32_t, int32_t and __s32 are the kernel's u32 and s32 with more letters. */
static bool find_spelled_type(struct scan word, struct type *ret)
{
	char name[16];
	size_t len = scan_left(&word);

	if (find_type(word, ret))
		return true;
	if (len > 2 && !memcmp(word.at, "__", 2))
		return find_type((struct scan){word.at + 2, word.end}, ret);
	if (len < 6 || len > 8 || memcmp(word.end - 2, "_t", 2))
		return false;
	bool is_unsigned = word.at[0] == 'u';
	size_t skip = is_unsigned ? 4 : 3;
	if (memcmp(word.at, is_unsigned ? "uint" : "int", skip))
		return false;
	name[0] = is_unsigned ? 'u' : 's';
	memcpy(name + 1, word.at + skip, len - 2 - skip);
	return find_type((struct scan){name, name + 1 + len - 2 - skip}, ret);
}

/* `unsigned`, `unsigned long long int`, `long`, `signed char`: C's words in their usual order. */
static bool parse_c_type(struct parser *parser, struct type *ret)
{
	bool is_unsigned = accept_word(parser, "unsigned");
	bool given = is_unsigned || accept_word(parser, "signed");
	struct type type = {4, 4, .is_signed = true};

	if (accept_word(parser, "long")) {
		accept_word(parser, "long");
		accept_word(parser, "int");
		type = (struct type){8, 8, .is_signed = true};
	} else if (accept_word(parser, "short")) {
		accept_word(parser, "int");
		type = (struct type){2, 2, .is_signed = true};
	} else if (given && accept_word(parser, "char")) {
		type = (struct type){1, 1, .is_signed = true};
	} else if (!accept_word(parser, "int") && !given) {
		return false;
	}
	type.is_signed = !is_unsigned;
	*ret = type;
	return true;
}

static struct error *parse_type(struct parser *parser, struct type *ret)
{
	while (accept_word(parser, "const") || accept_word(parser, "volatile"))
		;
	if (parse_c_type(parser, ret))
		return NULL;
	struct scan word = peek_word(parser);
	if (!find_spelled_type(word, ret))
		return fail(parser, scan_left(&word) ? "unknown type" : "expected a type");
	parser->scan.at = word.end;
	return NULL;
}

/* `[16]`; 0 for `[]`, 1 without brackets. */
static struct error *parse_count(struct parser *parser, bool *is_array, uint64_t *ret)
{
	*is_array = accept(parser, '[');
	*ret = 1;
	if (!*is_array)
		return NULL;
	skip_space(parser);
	if (scan_char(&parser->scan, ']')) {
		*ret = 0;
		return NULL;
	}
	if (!scan_number(&parser->scan, ret) || !*ret || *ret > LAYOUT_SIZE_MAX)
		return fail(parser, "expected a number of elements, up to a million");
	if (!accept(parser, ']'))
		return fail(parser, "expected ']'");
	return NULL;
}

/* Where the field begins: after the last one, aligned, or at `@OFFSET`. */
static struct error *parse_offset(struct parser *parser, size_t align)
{
	uint64_t offset;

	if (!accept(parser, '@')) {
		parser->offset = (parser->offset + align - 1) & ~(align - 1);
		return NULL;
	}
	skip_space(parser);
	if (!scan_number(&parser->scan, &offset) || offset > LAYOUT_SIZE_MAX)
		return fail(parser, "expected an offset in bytes after '@'");
	parser->offset = offset;
	return NULL;
}

static enum field_kind field_kind(struct type type, bool is_array)
{
	if (type.is_record || (is_array && !type.is_char && type.width == 1))
		return FIELD_BYTES;
	if (is_array && !type.is_char && type.width < 8)
		return FIELD_NUMBERS;
	if (!is_array)
		return FIELD_NUMBER;
	return type.is_char ? FIELD_TEXT : FIELD_WORDS;
}

static char *field_path(const struct parser *parser, struct scan name)
{
	const char *path = parser->path.data ? parser->path.data : "";

	return xasprintf("%s%.*s", path, (int)scan_left(&name), name.at);
}

static struct error *parse_declarator(struct parser *parser, struct type type)
{
	struct scan name = peek_word(parser);
	struct layout_field field = {.width = type.width, .is_signed = type.is_signed};
	uint64_t count;
	bool is_array;

	if (!scan_left(&name))
		return fail(
			parser, *name.at == '*' ? "declare pointers as u64" : "expected a name");
	parser->scan.at = name.end;
	try(parse_count(parser, &is_array, &count));
	try(parse_offset(parser, type.align));
	if (parser->layout.has_rest)
		return fail(parser, "no field can follow one of open length []");
	field.kind = field_kind(type, is_array);
	field.rest = is_array && !count;
	field.offset = parser->offset;
	field.size = type.width * (size_t)count;
	parser->offset += field.size;
	if (parser->offset > LAYOUT_SIZE_MAX)
		return fail(parser, "larger than a megabyte");
	if (parser->layout.fields.len == LAYOUT_FIELDS_MAX)
		return fail(parser, "too many fields");
	if (parser->align < type.align)
		parser->align = type.align;
	if (parser->layout.packed < parser->offset)
		parser->layout.packed = parser->offset;
	parser->layout.has_rest = field.rest;
	field.name = field_path(parser, name);
	vec_push(&parser->layout.fields, field);
	return NULL;
}

static struct error *parse_declarations(struct parser *parser, char end);

/* The name after `}` of the struct whose body starts at the cursor: it prefixes what is inside. */
static struct scan name_after(const struct parser *parser)
{
	struct parser ahead = *parser;
	int depth = 1;

	for (; depth && ahead.scan.at < ahead.scan.end; ahead.scan.at++)
		depth += *ahead.scan.at == '{' ? 1 : *ahead.scan.at == '}' ? -1 : 0;
	return peek_word(&ahead);
}

/* The alignment of the struct whose body starts at the cursor: found by reading it once. */
static struct error *body_align(struct parser *parser, size_t *ret)
{
	struct parser trial = {.scan = parser->scan,
		.text = parser->text,
		.option = parser->option,
		.align = 1,
		.nesting = parser->nesting};
	struct error *error = parse_declarations(&trial, '}');

	layout_deinit(&trial.layout);
	text_deinit(&trial.path);
	*ret = trial.align;
	return error;
}

/* After `struct {`. The struct's fields begin at, and its size is rounded to, its alignment. */
static struct error *parse_struct(struct parser *parser)
{
	size_t path_len = parser->path.len, outer = parser->align, align;
	struct scan name = name_after(parser);

	if (++parser->nesting > NESTING_MAX)
		return fail(parser, "nested too deeply");
	try(body_align(parser, &align));
	parser->offset = (parser->offset + align - 1) & ~(align - 1);
	if (scan_left(&name)) {
		text_add(&parser->path, name.at, scan_left(&name));
		text_add_char(&parser->path, '.');
	}
	try(parse_declarations(parser, '}'));
	parser->nesting--;
	parser->scan.at = scan_left(&name) ? name.end : parser->scan.at;
	parser->path.len = path_len;
	if (parser->path.data)
		parser->path.data[path_len] = '\0';
	parser->offset = (parser->offset + align - 1) & ~(align - 1);
	parser->align = outer > align ? outer : align;
	skip_space(parser);
	if (parser->scan.at < parser->scan.end &&
		(*parser->scan.at == '[' || *parser->scan.at == '@'))
		return fail(parser, "a struct cannot be an array and cannot have an offset");
	return NULL;
}

static struct error *parse_declaration(struct parser *parser)
{
	struct type type;

	if (accept_word(parser, "struct")) {
		bool is_record = accept_word(parser, "bpf_stack_build_id");

		if (!is_record)
			parser->scan.at = peek_word(parser).end; /* a tag says nothing */
		if (!is_record && accept(parser, '{'))
			return parse_struct(parser);
		if (!is_record)
			return fail(parser, "only struct bpf_stack_build_id is known by name");
		type = (struct type){RECORD_WIDTH, 8, .is_record = true};
	} else {
		try(parse_type(parser, &type));
	}
	do
		try(parse_declarator(parser, type));
	while (accept(parser, ','));
	return NULL;
}

/* Declarations up to END ('}', consumed) or the end of the text ('\0'). */
static struct error *parse_declarations(struct parser *parser, char end)
{
	for (;;) {
		while (accept(parser, ';'))
			;
		if (parser->scan.at == parser->scan.end)
			return end ? fail(parser, "expected '}'") : NULL;
		if (end && scan_char(&parser->scan, end))
			return NULL;
		try(parse_declaration(parser));
		skip_space(parser);
		if (parser->scan.at < parser->scan.end && *parser->scan.at != ';' &&
			*parser->scan.at != '}')
			return fail(parser, "expected ';'");
	}
}

static size_t round_up(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

struct error *layout_parse(
	const char *text, const char *option, const char *prefix, struct layout *ret)
{
	struct parser parser = {
		.scan = {text, text + strlen(text)}, .text = text, .option = option, .align = 1};

	text_add_string(&parser.path, prefix);
	struct error *error = parse_declarations(&parser, '\0');
	if (!error && !parser.layout.fields.len)
		error = fail(&parser, "no field is declared");
	text_deinit(&parser.path);
	if (error) {
		layout_deinit(&parser.layout);
		return error;
	}
	parser.layout.size = round_up(parser.layout.packed, parser.align);
	*ret = parser.layout;
	return NULL;
}

void layout_deinit(struct layout *layout)
{
	for (size_t i = 0; i < layout->fields.len; i++)
		free(layout->fields.data[i].name);
	vec_deinit(&layout->fields);
}

bool layout_fits(const struct layout *layout, size_t len)
{
	if (layout->has_rest)
		return len >= layout->packed;
	return len == layout->size || len == layout->packed;
}

static uint64_t read_number(const struct layout_field *field, const uint8_t *at)
{
	uint64_t number = 0;
	unsigned int shift = 64 - 8U * field->width;

	memcpy((uint8_t *)&number + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - field->width : 0),
		at, field->width);
	if (field->is_signed && shift < 64)
		number = (uint64_t)((int64_t)(number << shift) >> shift);
	return number;
}

static uint64_t sum_of(const struct layout_field *field, const uint8_t *at, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i + field->width <= size; i += field->width)
		sum = wanted_add(sum, read_number(field, at + i));
	return sum;
}

bool layout_decode(const struct layout *layout, const uint8_t *data, size_t len, struct field *ret)
{
	for (size_t i = 0; i < layout->fields.len; i++) {
		const struct layout_field *field = &layout->fields.data[i];
		size_t at = field->offset < len ? field->offset : len, left = len - at;
		size_t size = field->rest || field->size > left ? left : field->size;

		ret[i] = (struct field){.name = field->name, .kind = field->kind};
		if (field->kind == FIELD_NUMBER) {
			if (left < field->width)
				return false;
			ret[i].width = field->width;
			ret[i].number = field->is_sum ? sum_of(field, data + at, size)
						      : read_number(field, data + at);
			continue;
		}
		if (field->width == RECORD_WIDTH)
			ret[i].width = RECORD_WIDTH;
		ret[i].bytes = (const char *)data + at;
		ret[i].len = field->kind == FIELD_TEXT ? strnlen(ret[i].bytes, size)
						       : size - size % field->width;
	}
	return true;
}
