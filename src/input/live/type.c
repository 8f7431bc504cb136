// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/type.h"

#include <stdlib.h>
#include <string.h>

#include "input/roles/roles.h"
#include "input/roles/unnamed.h"
#include "util/xalloc.h"

#ifndef WITHOUT_LIBBPF
#include <bpf/btf.h>

enum {
	MODS_MAX = 64,	/* typedefs and qualifiers in a row */
	DEPTH_MAX = 16, /* of structs and arrays in each other */
	VISITS_MAX = 1 << 16,
	PATH_BYTES_MAX = 4096,
	RECORD_BYTES = 32, /* struct bpf_stack_build_id */
};

struct walker {
	const struct btf *btf;
	struct live_type *type;
	struct text path;
	size_t size; /* bytes of the whole */
	unsigned int depth, visits;
	size_t members; /* of the struct that is open, so far */
};

/* What a member is, beside its type. */
struct member_place {
	size_t offset; /* bits */
	uint32_t bits; /* of a bit-field; 0: none */
	const char *name;
};

static const struct btf_type *resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	for (int i = 0; type && i < MODS_MAX; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type))
			return type;
		type = btf__type_by_id(btf, type->type);
	}
	return NULL;
}

static bool is_full(const struct walker *walker)
{
	return walker->type->steps.len >= 2 * LIVE_FIELDS_MAX ||
	       walker->type->fields.len >= LIVE_FIELDS_MAX || walker->visits > VISITS_MAX;
}

static void add_step(struct walker *walker, enum live_mark mark, const char *name)
{
	struct text *names = &walker->type->names;
	struct live_step step = {mark, SIZE_MAX};

	if (name) {
		step.name = names->len;
		text_add(names, name, strlen(name) + 1);
	}
	vec_push(&walker->type->steps, step);
}

static void add_field(struct walker *walker, struct live_field field, const char *name)
{
	if (!field.count || !field.width || field.offset > walker->size ||
		field.count > (walker->size - field.offset) / field.width)
		return;
	field.name = xstrdup(walker->path.data);
	add_step(walker, LIVE_FIELD, name);
	vec_push(&walker->type->fields, field);
}

/* Width 0: no number. */
static struct live_field number_field(const struct btf_type *type)
{
	struct live_field field = {.form = LIVE_NUMBER, .count = 1};

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		field.is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		field.is_signed = btf_kflag(type);
		break;
	case BTF_KIND_PTR:
		field.width = sizeof(uint64_t);
		return field;
	default:
		return field;
	}
	if (type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8)
		field.width = (uint8_t)type->size;
	return field;
}

static void add_number(
	struct walker *walker, const struct btf_type *type, struct member_place place)
{
	struct live_field field = number_field(type);

	field.offset = place.offset / 8;
	if (place.bits && field.width) {
		field.offset -= field.offset % field.width;
		field.shift = (uint8_t)(place.offset - field.offset * 8);
		field.bits = (uint8_t)place.bits;
		if (place.bits + field.shift > 8U * field.width)
			return;
	}
	add_field(walker, field, place.name);
}

static bool has_member(
	const struct walker *walker, const struct btf_type *type, uint16_t i, const char *name)
{
	const struct btf_member *member = btf_members(type) + i;
	const char *its = btf__name_by_offset(walker->btf, member->name_off);

	return its && !strcmp(its, name);
}

/* s32 status, u8 build_id[20], u64 offset or ip */
static bool is_build_id(const struct walker *walker, const struct btf_type *type)
{
	return btf_is_struct(type) && type->size == RECORD_BYTES && btf_vlen(type) == 3 &&
	       has_member(walker, type, 0, "status") && has_member(walker, type, 1, "build_id");
}

static void walk(struct walker *walker, uint32_t id, struct member_place place);

/*
 * A member; one without a name is called by its number, but for a struct or union, whose members are
 * those of the struct around it.
 */
static void walk_member(struct walker *walker, uint32_t id, struct member_place place)
{
	const struct btf_type *type = resolve(walker->btf, id);
	size_t number = walker->members;

	if (!*place.name && type && btf_is_composite(type)) {
		walk(walker, id, place);
		return;
	}
	if (!*place.name)
		text_printf(&walker->path, ".%zu", number);
	else if (walker->path.len + strlen(place.name) < PATH_BYTES_MAX)
		text_printf(&walker->path, ".%s", place.name);
	walker->members = 0;
	walk(walker, id, place);
	walker->members = number + 1;
}

static void walk_members(struct walker *walker, const struct btf_type *type, size_t offset)
{
	const struct btf_member *member = btf_members(type);
	size_t outer = walker->path.len;

	for (uint32_t i = 0; i < btf_vlen(type) && !is_full(walker); i++, member++) {
		struct member_place place = {.offset = offset + btf_member_bit_offset(type, i),
			.bits = btf_member_bitfield_size(type, i),
			.name = btf__name_by_offset(walker->btf, member->name_off) ?: ""};

		walk_member(walker, member->type, place);
		walker->path.len = outer;
		walker->path.data[outer] = '\0';
	}
}

/* The members of an anonymous struct are those of the struct around it. */
static void walk_struct(
	struct walker *walker, const struct btf_type *type, struct member_place place)
{
	bool open = (place.name && *place.name) || walker->depth == 1;

	if (open)
		add_step(walker, LIVE_OBJECT, place.name);
	walk_members(walker, type, place.offset);
	if (open)
		add_step(walker, LIVE_OBJECT_END, NULL);
}

static void walk_structs(
	struct walker *walker, uint32_t id, size_t bytes, size_t n, struct member_place place)
{
	const struct btf_type *type = resolve(walker->btf, id);

	add_step(walker, LIVE_ARRAY, place.name);
	for (size_t i = 0; type && i < n && !is_full(walker); i++) {
		add_step(walker, LIVE_OBJECT, NULL);
		walker->members = 0;
		walk_members(walker, type, place.offset + i * bytes * 8);
		add_step(walker, LIVE_OBJECT_END, NULL);
	}
	add_step(walker, LIVE_ARRAY_END, NULL);
}

/* Arrays of arrays are one array. */
static void walk_array(
	struct walker *walker, const struct btf_type *type, struct member_place place)
{
	size_t n = 1;
	uint32_t id = 0;

	for (int i = 0; type && btf_is_array(type) && i < DEPTH_MAX; i++) {
		if (__builtin_mul_overflow(n, btf_array(type)->nelems, &n) || n > walker->size)
			return;
		id = btf_array(type)->type;
		type = resolve(walker->btf, id);
	}
	if (!type)
		return;
	struct live_field field = number_field(type);
	field.offset = place.offset / 8;
	field.count = n;
	if (is_build_id(walker, type)) {
		field.form = LIVE_RECORDS;
		field.width = RECORD_BYTES;
	} else if (btf_is_composite(type) && type->size) {
		walk_structs(walker, id, type->size, n, place);
		return;
	} else {
		field.unnamed = !place.name || !*place.name;
		field.form = field.width == 1	? LIVE_CHARS
			     : field.width == 8 ? LIVE_WORDS
						: LIVE_NUMBERS;
	}
	add_field(walker, field, place.name);
}

/* Recursion is bounded by DEPTH_MAX, and all of it by VISITS_MAX. */
static void walk(struct walker *walker, uint32_t id, struct member_place place)
{
	const struct btf_type *type = resolve(walker->btf, id);

	walker->visits++;
	if (!type || is_full(walker) || walker->depth == DEPTH_MAX)
		return;
	walker->depth++;
	if (btf_is_composite(type))
		walk_struct(walker, type, place);
	else if (btf_is_array(type))
		walk_array(walker, type, place);
	else
		add_number(walker, type, place);
	walker->depth--;
}

void live_type_make(
	const struct btf *btf, uint32_t id, const char *prefix, size_t size, struct live_type *ret)
{
	struct walker walker = {.btf = btf, .type = ret, .size = size};

	text_add_string(&walker.path, prefix);
	walk(&walker, id, (struct member_place){});
	text_deinit(&walker.path);
}
#endif

void live_type_deinit(struct live_type *type)
{
	vec_free_each(&type->fields, name);
	vec_deinit(&type->fields);
	vec_deinit(&type->steps);
	text_deinit(&type->names);
}

static void want_one(struct live_type *type, size_t array, const struct wanted_field *wanted)
{
	struct live_field field = type->fields.data[array];

	if (type->fields.len >= LIVE_FIELDS_MAX)
		return;
	field.form = LIVE_NUMBER;
	if (wanted->is_sum) {
		type->fields.data[array].is_hidden = true;
		field.name = xstrdup(field.name);
	} else {
		field.name = wanted_name(wanted, field.name);
		field.offset += wanted->index * field.width;
		field.count = 1;
	}
	vec_push(&type->fields, field);
}

void live_type_want(struct live_type *type, const struct wanted *wanted)
{
	size_t n = type->fields.len;

	for (size_t i = 0; i < n; i++) {
		const struct live_field field = type->fields.data[i];

		if (field.form == LIVE_NUMBER || field.form == LIVE_RECORDS)
			continue;
		for (size_t j = 0; j < wanted->all.len; j++) {
			const struct wanted_field *one = &wanted->all.data[j];

			if (one->is_sum ? field.form != LIVE_CHARS && !field.is_hidden &&
						  field_path_matches(field.name, one->path)
					: wanted_is_element(one, field.name, field.count))
				want_one(type, i, one);
		}
	}
}

bool live_chars_are_text(const uint8_t *bytes, size_t len)
{
	size_t n = strnlen((const char *)bytes, len);

	for (size_t i = 0; i < n; i++)
		if ((bytes[i] < 0x20 && bytes[i] != '\t') || bytes[i] == 0x7f)
			return false;
	for (size_t i = 0; !n && i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

uint64_t live_number(const struct live_field *field, const uint8_t *data, size_t i)
{
	unsigned int width = field->width, bits = field->bits ?: 8 * width;
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	union {
		uint64_t of_8;
		uint32_t of_4;
		uint16_t of_2;
		uint8_t of_1;
	} value;

	memcpy(&value, data + field->offset + i * width, width);
	uint64_t number = width == 8   ? value.of_8
			  : width == 4 ? value.of_4
			  : width == 2 ? value.of_2
				       : value.of_1;
	if (field->bits)
		number >>= big ? 8 * width - field->shift - bits : field->shift;
	number <<= 64 - bits;
	if (field->is_signed)
		return (uint64_t)((int64_t)number >> (64 - bits));
	return number >> (64 - bits);
}

static uint64_t number_of(const struct live_field *field, const uint8_t *data)
{
	uint64_t sum = live_number(field, data, 0);

	for (size_t i = 1; i < field->count; i++)
		sum = wanted_add(sum, live_number(field, data, i));
	return sum;
}

/* Whether FIELD is all of the value, an array of numbers that may add up (input/roles/value_array.h). */
static bool is_value_array(const struct live_field *field)
{
	return field->form != LIVE_NUMBER && field->unnamed && field->width > 1 &&
	       field->form != LIVE_RECORDS && !strcmp(field->name, "value");
}

static struct field decode_array(const struct live_field *field, const uint8_t *data)
{
	struct field ret = {
		.bytes = (const char *)data + field->offset, .len = field->count * field->width};

	switch (field->form) {
	case LIVE_CHARS:
		ret.kind = FIELD_BYTES;
		if (field->unnamed && unnamed_size(ret.len))
			ret.kind = FIELD_UNNAMED;
		else if (live_chars_are_text(data + field->offset, ret.len)) {
			ret.kind = FIELD_TEXT;
			ret.len = strnlen(ret.bytes, ret.len);
		}
		break;
	case LIVE_WORDS:
		ret.kind = FIELD_WORDS;
		break;
	case LIVE_NUMBERS:
		ret.kind = FIELD_NUMBERS;
		break;
	default:
		ret.kind = FIELD_BYTES;
		ret.width = field->width;
	}
	if (is_value_array(field)) {
		ret.is_sum = true;
		ret.width = field->width;
		ret.number = number_of(field, data);
	}
	return ret;
}

size_t live_type_decode(const struct live_type *type, const uint8_t *data, struct field *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < type->fields.len; i++) {
		const struct live_field *field = &type->fields.data[i];

		if (field->is_hidden || (field->form == LIVE_NUMBERS && !is_value_array(field)))
			continue;
		if (field->form == LIVE_NUMBER)
			ret[n] = (struct field){.kind = FIELD_NUMBER,
				.width = field->width,
				.number = number_of(field, data)};
		else
			ret[n] = decode_array(field, data);
		ret[n++].name = field->name;
	}
	return n;
}
