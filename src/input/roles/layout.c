// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/layout.h"

#include <ctype.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/xalloc.h"

#define NESTING_MAX 8

struct type {
	uint8_t width;
	char sign; /* 's', 'u'; 0: the default of C */
	bool is_record;
};

/* words of C types, which may be combined as in "unsigned long" */
static const struct {
	const char *name;
	uint8_t width; /* bytes; 0: set by other words, or 4 */
	char sign;
} words[] = {
	{"signed", 0, 's'},
	{"unsigned", 0, 'u'},
	{"char", 1, 0},
	{"short", 2, 0},
	{"int", 0, 0},
	{"long", 8, 0},
	{"bool", 1, 'u'},
	{"_Bool", 1, 'u'},
	{"pid_t", 4, 's'},
	{"size_t", 8, 'u'},
	{"ssize_t", 8, 's'},
	{"uid_t", 4, 'u'},
	{"gid_t", 4, 'u'},
	{"dev_t", 4, 'u'},
};

struct parser {
	struct scan scan;
	const char *text, *option;
	struct layout layout;
	size_t offset; /* first free byte, relative to the struct being parsed */
	size_t align;  /* alignment of that struct so far, in bytes */
	size_t fixed; /* index of its first field with `@OFFSET`; fields from there on are not moved */
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

	while (scan->at < scan->end && isspace((unsigned char)*scan->at))
		scan->at++;
}

static bool accept(struct parser *parser, char c)
{
	skip_space(parser);
	return scan_char(&parser->scan, c);
}

/* Returns the identifier at the cursor, or an empty one. */
static struct scan peek_word(struct parser *parser)
{
	skip_space(parser);
	struct scan word = {parser->scan.at, parser->scan.at};

	if (scan_left(&parser->scan) && isdigit((unsigned char)*word.at))
		return word;
	/* whatever the locale has as letters */
	while (word.end < parser->scan.end &&
		(*word.end == '_' || (isascii(*word.end) && isalnum(*word.end))))
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

/* Recognizes u32, __u32, uint32_t, s32, __s32, int32_t, and the like. */
static bool find_number_type(struct scan word, struct type *ret)
{
	uint64_t bits;

	scan_literal(&word, "__");
	bool is_signed = !scan_char(&word, 'u'), spelled = scan_literal(&word, "int");
	if ((is_signed && !spelled && !scan_char(&word, 's')) || !scan_decimal(&word, &bits) ||
		(spelled && !scan_literal(&word, "_t")) || scan_left(&word) || bits < 8 ||
		bits > 64 || bits & (bits - 1))
		return false;
	*ret = (struct type){.width = (uint8_t)(bits / 8), .sign = is_signed ? 's' : 'u'};
	return true;
}

/* Parses the next word of a C type into TYPE. Returns false if none follows. */
static bool accept_c_word(struct parser *parser, struct type *type)
{
	array_each(word, words, array_len(words))
		if (accept_word(parser, word->name)) {
			type->width = word->width ?: type->width;
			type->sign = word->sign ?: type->sign;
			return true;
		}
	return false;
}

static struct error *parse_type(struct parser *parser, struct type *ret)
{
	*ret = (struct type){.width = sizeof(int)};
	while (accept_word(parser, "const") || accept_word(parser, "volatile"))
		;
	if (accept_c_word(parser, ret)) {
		while (accept_c_word(parser, ret))
			;
		return NULL;
	}
	struct scan word = peek_word(parser);
	if (!find_number_type(word, ret))
		return fail(parser, scan_left(&word) ? "unknown type" : "expected a type");
	parser->scan.at = word.end;
	return NULL;
}

/* Parses a count of elements, as in `[16]`. RET is 0 for `[]`, and 1 without brackets. */
static struct error *parse_count(struct parser *parser, bool *is_array, uint64_t *ret)
{
	*is_array = accept(parser, '[');
	*ret = !*is_array;
	if (!*is_array || accept(parser, ']'))
		return NULL;
	if (!scan_number(&parser->scan, ret) || !*ret || *ret > LAYOUT_SIZE_MAX)
		return fail(parser, "expected a number of elements, up to a million");
	return accept(parser, ']') ? NULL : fail(parser, "expected ']'");
}

static size_t round_up(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

static enum field_kind field_kind(struct type type, bool is_array)
{
	bool is_char = type.width == 1 && !type.sign;

	if (type.is_record)
		return FIELD_BYTES;
	if (!is_array)
		return FIELD_NUMBER;
	if (type.width == 1)
		return is_char ? FIELD_TEXT : FIELD_BYTES;
	return type.width < 8 ? FIELD_NUMBERS : FIELD_WORDS;
}

static struct error *parse_declarator(struct parser *parser, struct type type)
{
	struct layout *layout = &parser->layout;
	struct scan name = peek_word(parser);
	size_t align = type.is_record ? sizeof(uint64_t) : type.width;
	uint64_t count, offset;
	bool is_array;

	if (!scan_left(&name))
		return fail(
			parser, *name.at == '*' ? "declare pointers as u64" : "expected a name");
	parser->scan.at = name.end;
	try(parse_count(parser, &is_array, &count));
	/* after the last field, aligned, or at `@OFFSET`, relative to the whole layout */
	parser->offset = round_up(parser->offset, align);
	if (accept(parser, '@')) {
		skip_space(parser);
		if (!scan_number(&parser->scan, &offset) || offset > LAYOUT_SIZE_MAX)
			return fail(parser, "expected an offset in bytes after '@'");
		parser->offset = offset;
		if (parser->fixed > layout->fields.len)
			parser->fixed = layout->fields.len;
	}
	if (layout->has_rest)
		return fail(parser, "no field can follow [], which takes all remaining bytes");
	if (layout->fields.len == LAYOUT_FIELDS_MAX)
		return fail(parser, "too many fields");
	layout->has_rest = !count;
	vec_push(&layout->fields, (struct layout_field){.name = xstrndup(name.at, scan_left(&name)),
					  .kind = field_kind(type, is_array),
					  .is_signed = type.sign != 'u',
					  .rest = !count,
					  .width = type.width,
					  .offset = parser->offset,
					  .size = type.width * (size_t)count});
	parser->offset += type.width * (size_t)count;
	if (parser->align < align)
		parser->align = align;
	return NULL;
}

/* Adds PREFIX to the names of the fields from FIRST on, and BASE to offsets that are not fixed. */
static void enclose(struct parser *parser, size_t first, const char *prefix, size_t base)
{
	for (size_t i = first; i < parser->layout.fields.len; i++) {
		struct layout_field *field = &parser->layout.fields.data[i];
		auto_free char *name = field->name;

		field->name = xasprintf("%s%s", prefix, name);
		field->offset += i < parser->fixed ? base : 0;
	}
}

static struct error *parse_declarations(struct parser *parser, char end);

/* Parses a struct after `struct {`. Its start and size are rounded up to its alignment. */
static struct error *parse_struct(struct parser *parser)
{
	struct layout *layout = &parser->layout;
	const struct parser outer = *parser;

	if (++parser->nesting > NESTING_MAX)
		return fail(parser, "nested too deeply");
	parser->offset = 0;
	parser->align = 1;
	parser->fixed = SIZE_MAX;
	try(parse_declarations(parser, '}'));
	parser->nesting--;
	struct scan name = peek_word(parser);
	parser->scan.at = name.end;
	auto_free char *prefix =
		xasprintf("%.*s%s", (int)scan_left(&name), name.at, scan_left(&name) ? "." : "");
	size_t base = round_up(outer.offset, parser->align);
	enclose(parser, outer.layout.fields.len, prefix, base);
	parser->offset = round_up(parser->offset, parser->align) +
			 (parser->fixed < layout->fields.len ? 0 : base);
	if (parser->align < outer.align)
		parser->align = outer.align;
	if (parser->fixed > outer.fixed)
		parser->fixed = outer.fixed;
	skip_space(parser);
	return scan_starts(parser->scan, "[") || scan_starts(parser->scan, "@")
		       ? fail(parser, "a struct cannot be an array and cannot have an offset")
		       : NULL;
}

static struct error *parse_declaration(struct parser *parser)
{
	struct type type;

	if (!accept_word(parser, "struct")) {
		try(parse_type(parser, &type));
	} else if (accept_word(parser, "bpf_stack_build_id")) {
		type = (struct type){LAYOUT_RECORD_WIDTH, .is_record = true};
	} else {
		parser->scan.at = peek_word(parser).end; /* ignore the tag */
		if (accept(parser, '{'))
			return parse_struct(parser);
		return fail(parser, "only struct bpf_stack_build_id is known by name");
	}
	do
		try(parse_declarator(parser, type));
	while (accept(parser, ','));
	return NULL;
}

/* Parses declarations up to END: '}', which is consumed, or '\0' for the end of the text. */
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
		if (parser->offset > LAYOUT_SIZE_MAX)
			return fail(parser, "larger than a megabyte");
		skip_space(parser);
		if (parser->scan.at < parser->scan.end && *parser->scan.at != ';' &&
			*parser->scan.at != '}')
			return fail(parser, "expected ';'");
	}
}

void layout_want(struct layout *layout, const struct wanted *wanted)
{
	size_t n = layout->fields.len;

	for (size_t i = 0; i < n; i++) {
		const struct layout_field field = layout->fields.data[i];
		bool is_numbers = field.kind == FIELD_WORDS || field.kind == FIELD_NUMBERS ||
				  (field.kind == FIELD_BYTES && field.width != LAYOUT_RECORD_WIDTH);

		if (!is_numbers && !field.is_chars)
			continue;
		vec_each(element, &wanted->all) {
			char *name = wanted_element(element, field.name, field.size / field.width);

			if (name)
				vec_push(&layout->fields,
					(struct layout_field){.name = name,
						.kind = FIELD_NUMBER,
						.is_signed = field.is_signed,
						.width = field.width,
						.offset =
							field.offset + element->index * field.width,
						.size = field.width});
		}
		/* text has elements, but no sum */
		if (!field.is_chars && wanted_sum(wanted, field.name)) {
			layout->fields.data[i].kind = FIELD_NUMBER;
			layout->fields.data[i].is_sum = true;
			layout->fields.data[i].is_hidden = false;
		}
	}
}

struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret)
{
	scope_guard(wanted_deinit) struct wanted wanted = {};

	if (!text)
		return NULL;
	struct parser parser = {.scan = scan_of(text),
		.text = text,
		.option = option,
		.align = 1,
		.fixed = SIZE_MAX};
	struct layout *layout = &parser.layout;
	struct error *error = parse_declarations(&parser, '\0');
	if (!error && !layout->fields.len)
		error = fail(&parser, "no field is declared");
	if (error) {
		layout_deinit(layout);
		return error;
	}
	enclose(&parser, 0, prefix, 0);
	vec_each(field, &layout->fields)
		if (layout->packed < field->offset + field->size)
			layout->packed = field->offset + field->size;
	layout->size = round_up(layout->packed, parser.align);
	wanted_parse(key_fields, &wanted);
	layout_want(layout, &wanted);
	*ret = *layout;
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

bool layout_is_text(const uint8_t *bytes, size_t len)
{
	size_t n = strnlen((const char *)bytes, len);

	for (size_t i = 0; i < n; i++)
		if ((bytes[i] < 0x20 && bytes[i] != '\t') || bytes[i] == 0x7f)
			return false;
	return n || scan_is_zero(bytes, len);
}

uint64_t layout_number(const struct layout_field *field, const uint8_t *at)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	unsigned int width = field->width, bits = field->bits ? field->bits : 8 * width;
	uint64_t number = 0;

	memcpy((uint8_t *)&number + (big ? 8 - width : 0), at, width);
	number >>= big ? 8 * width - field->shift - bits : field->shift;
	/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): WIDTH bytes were copied */
	number <<= 64 - bits;
	return field->is_signed ? (uint64_t)((int64_t)number >> (64 - bits))
				: number >> (64 - bits);
}

static uint64_t sum_of(const struct layout_field *field, const uint8_t *at, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i + field->width <= size; i += field->width)
		sum = wanted_add(sum, layout_number(field, at + i));
	return sum;
}

/* Returns the SIZE bytes at AT as an array of FIELD's kind. */
static struct field decode_array(const struct layout_field *field, const uint8_t *at, size_t size)
{
	struct field ret = {.name = field->name,
		.kind = field->kind,
		.bytes = (const char *)at,
		.len = size - size % field->width};

	if (field->width == LAYOUT_RECORD_WIDTH)
		ret.width = field->width;
	if (field->is_chars && field->kind == FIELD_TEXT && !layout_is_text(at, size))
		ret.kind = FIELD_BYTES;
	if (ret.kind == FIELD_TEXT)
		ret.len = strnlen(ret.bytes, size);
	if (field->is_sum) {
		ret.is_sum = true;
		ret.width = field->width;
		ret.number = sum_of(field, at, size);
	}
	return ret;
}

size_t layout_decode(
	const struct layout *layout, const uint8_t *data, size_t len, struct field *ret)
{
	size_t n = 0;

	vec_each(field, &layout->fields) {
		size_t at = field->offset < len ? field->offset : len, left = len - at;
		size_t size = field->rest || field->size > left ? left : field->size;

		if (field->is_hidden)
			continue;
		if (field->kind != FIELD_NUMBER) {
			ret[n++] = decode_array(field, data + at, size);
			continue;
		}
		if (left < field->width)
			return 0;
		ret[n++] = (struct field){.name = field->name,
			.kind = FIELD_NUMBER,
			.width = field->width,
			.number = field->is_sum ? sum_of(field, data + at, size)
						: layout_number(field, data + at)};
	}
	return n;
}
