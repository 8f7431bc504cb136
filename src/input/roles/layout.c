// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/layout.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

#define NESTING_MAX 8
#define RECORD_WIDTH 32 /* struct bpf_stack_build_id */

struct type {
	uint8_t width;
	bool is_signed, is_char, is_record;
};

/* Beside those of C and of so many bits. */
static const struct {
	const char *name;
	uint8_t width;
	bool is_signed;
} types[] = {
	{"char", 1, true},
	{"bool", 1, false},
	{"_Bool", 1, false},
	{"pid_t", 4, true},
	{"size_t", 8, false},
	{"ssize_t", 8, true},
	{"uid_t", 4, false},
	{"gid_t", 4, false},
	{"dev_t", 4, false},
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

static bool accept_word(struct parser *parser, const char *s)
{
	struct scan word = peek_word(parser);

	if (!scan_equals(word, s))
		return false;
	parser->scan.at = word.end;
	return true;
}

/* u32, __u32, uint32_t, s32, __s32, int32_t. */
static bool find_number_type(struct scan word, struct type *ret)
{
	uint64_t bits;

	scan_literal(&word, "__");
	bool is_signed = !scan_char(&word, 'u'), spelled = scan_literal(&word, "int");
	if ((is_signed && !spelled && !scan_char(&word, 's')) || !scan_decimal(&word, &bits) ||
		(spelled && !scan_literal(&word, "_t")) || scan_left(&word) || bits < 8 ||
		bits > 64 || bits & (bits - 1))
		return false;
	*ret = (struct type){.width = (uint8_t)(bits / 8), .is_signed = is_signed};
	return true;
}

static bool find_type(struct scan word, struct type *ret)
{
	for (size_t i = 0; i < array_len(types); i++)
		if (scan_equals(word, types[i].name)) {
			*ret = (struct type){.width = types[i].width,
				.is_signed = types[i].is_signed,
				.is_char = scan_equals(word, "char")};
			return true;
		}
	return find_number_type(word, ret);
}

/* `unsigned`, `unsigned long long int`, `long`, `signed char`: C's words in their usual order. */
static bool parse_c_type(struct parser *parser, struct type *ret)
{
	bool is_unsigned = accept_word(parser, "unsigned");
	bool given = is_unsigned || accept_word(parser, "signed");
	uint8_t width = 4;

	if (accept_word(parser, "long")) {
		accept_word(parser, "long");
		accept_word(parser, "int");
		width = 8;
	} else if (accept_word(parser, "short")) {
		accept_word(parser, "int");
		width = 2;
	} else if (given && accept_word(parser, "char")) {
		width = 1;
	} else if (!accept_word(parser, "int") && !given) {
		return false;
	}
	*ret = (struct type){.width = width, .is_signed = !is_unsigned};
	return true;
}

static struct error *parse_type(struct parser *parser, struct type *ret)
{
	while (accept_word(parser, "const") || accept_word(parser, "volatile"))
		;
	if (parse_c_type(parser, ret))
		return NULL;
	struct scan word = peek_word(parser);
	if (!find_type(word, ret))
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

static size_t round_up(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

/* Where the field begins: after the last one, aligned, or at `@OFFSET`. */
static struct error *parse_offset(struct parser *parser, size_t align)
{
	uint64_t offset;

	if (!accept(parser, '@')) {
		parser->offset = round_up(parser->offset, align);
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
	size_t align = type.is_record ? sizeof(uint64_t) : type.width;
	uint64_t count;
	bool is_array;

	if (!scan_left(&name))
		return fail(
			parser, *name.at == '*' ? "declare pointers as u64" : "expected a name");
	parser->scan.at = name.end;
	try(parse_count(parser, &is_array, &count));
	try(parse_offset(parser, align));
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
	if (parser->align < align)
		parser->align = align;
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
	parser->offset = round_up(parser->offset, align);
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
	parser->offset = round_up(parser->offset, align);
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
		type = (struct type){RECORD_WIDTH, .is_record = true};
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

/* The element of FIELD that WANTED is, as a field of its own. */
static struct layout_field element_of(
	const struct layout_field *field, const struct wanted_field *wanted)
{
	struct layout_field element = *field;

	element.name = wanted_name(wanted, field->name);
	element.kind = FIELD_NUMBER;
	element.offset += wanted->index * field->width;
	element.size = field->width;
	return element;
}

static bool is_numbers(const struct layout_field *field)
{
	return field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS ||
	       (field->kind == FIELD_BYTES && field->width != RECORD_WIDTH);
}

static void add_wanted(struct layout *layout, const struct wanted *wanted)
{
	size_t n = layout->fields.len;

	for (size_t i = 0; i < n; i++) {
		const struct layout_field field = layout->fields.data[i];
		size_t count = field.size / field.width;

		if (!is_numbers(&field))
			continue;
		for (size_t j = 0; j < wanted->all.len; j++)
			if (wanted_is_element(&wanted->all.data[j], field.name, count))
				vec_push(&layout->fields, element_of(&field, &wanted->all.data[j]));
		if (wanted_sum(wanted, field.name)) {
			layout->fields.data[i].kind = FIELD_NUMBER;
			layout->fields.data[i].is_sum = true;
		}
	}
}

struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret)
{
	scope_guard(wanted_deinit) struct wanted wanted = {};

	if (!text)
		return NULL;
	try(layout_parse(text, option, prefix, ret));
	wanted_parse(key_fields, &wanted);
	add_wanted(ret, &wanted);
	return NULL;
}

void layout_deinit(struct layout *layout)
{
	vec_free_each(&layout->fields, name);
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
