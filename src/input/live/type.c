// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/type.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "input/roles/roles.h"
#include "input/roles/unnamed.h"
#include "util/xalloc.h"

enum {
	MODS_MAX = 64,	/* chained typedefs and qualifiers */
	DEPTH_MAX = 16, /* of nested structs and arrays */
	VISITS_MAX = 1 << 16,
	PATH_BYTES_MAX = 4096,
};

struct walker {
	const struct btf *btf;
	struct live_type *type;
	struct text path; /* dotted name of the current member */
	size_t size;	  /* bytes of the whole key or value */
	unsigned int depth, visits;
	size_t members; /* number of members of the innermost struct so far */
};

/* A member without its type. */
struct member_place {
	size_t offset; /* bits from the start of the key or value */
	uint32_t bits; /* width of a bit-field; 0: no bit-field */
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
	       walker->type->layout.fields.len >= LIVE_FIELDS_MAX || walker->visits > VISITS_MAX;
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

static void add_field(struct walker *walker, struct layout_field field, const char *name)
{
	if (!field.size || field.offset > walker->size || field.size > walker->size - field.offset)
		return;
	field.name = xstrdup(walker->path.data);
	add_step(walker, LIVE_FIELD, name);
	vec_push(&walker->type->layout.fields, field);
}

/* Returns the field of a number; its width is 0 if TYPE is not a number of 1, 2, 4 or 8 bytes. */
static struct layout_field number_field(const struct btf_type *type)
{
	struct layout_field field = {.kind = FIELD_NUMBER};

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

/* Returns true for struct bpf_stack_build_id: s32 status, u8 build_id[20], u64 offset or ip. */
static bool is_build_id(const struct btf *btf, const struct btf_type *type)
{
	if (!btf_is_struct(type) || type->size != LAYOUT_RECORD_WIDTH || btf_vlen(type) != 3)
		return false;
	const struct btf_member *members = btf_members(type);
	const char *status = btf__name_by_offset(btf, members[0].name_off),
		   *build_id = btf__name_by_offset(btf, members[1].name_off);
	return status && build_id && !strcmp(status, "status") && !strcmp(build_id, "build_id");
}

static void walk(struct walker *walker, uint32_t id, struct member_place place);

/*
 * Walks the members of TYPE. If one has no name, its number is its name, except for structs and
 * unions, whose members belong to the enclosing struct.
 */
static void walk_members(struct walker *walker, const struct btf_type *type, size_t offset)
{
	const struct btf_member *member = btf_members(type);
	size_t outer = walker->path.len;

	for (uint32_t i = 0; i < btf_vlen(type) && !is_full(walker); i++, member++) {
		struct member_place place = {.offset = offset + btf_member_bit_offset(type, i),
			.bits = btf_member_bitfield_size(type, i),
			.name = btf__name_by_offset(walker->btf, member->name_off) ?: ""};
		const struct btf_type *inner = resolve(walker->btf, member->type);
		size_t number = walker->members;

		if (!*place.name && inner && btf_is_composite(inner)) {
			walk(walker, member->type, place);
			continue;
		}
		if (!*place.name)
			text_printf(&walker->path, ".%zu", number);
		else if (outer + strlen(place.name) < PATH_BYTES_MAX)
			text_printf(&walker->path, ".%s", place.name);
		walker->members = 0;
		walk(walker, member->type, place);
		walker->members = number + 1;
		walker->path.len = outer;
		walker->path.data[outer] = '\0';
	}
}

/* Walks an array. An array of arrays is treated as one array. */
static void walk_array(
	struct walker *walker, const struct btf_type *type, struct member_place place)
{
	size_t n = 1;

	for (int i = 0; type && btf_is_array(type) && i < DEPTH_MAX; i++) {
		if (__builtin_mul_overflow(n, btf_array(type)->nelems, &n) || n > walker->size)
			return;
		type = resolve(walker->btf, btf_array(type)->type);
	}
	if (!type)
		return;
	bool is_record = is_build_id(walker->btf, type);
	if (btf_is_composite(type) && type->size && !is_record) {
		add_step(walker, LIVE_ARRAY, place.name);
		for (size_t i = 0; i < n && !is_full(walker); i++) {
			add_step(walker, LIVE_OBJECT, NULL);
			walker->members = 0;
			walk_members(walker, type, place.offset + i * type->size * 8);
			add_step(walker, LIVE_OBJECT_END, NULL);
		}
		add_step(walker, LIVE_ARRAY_END, NULL);
		return;
	}
	struct layout_field field = number_field(type);
	field.offset = place.offset / 8;
	if (is_record) {
		field.kind = FIELD_BYTES;
		field.width = LAYOUT_RECORD_WIDTH;
	} else {
		field.unnamed = !place.name || !*place.name;
		field.is_chars = field.width == 1;
		field.kind = field.width == 8 ? FIELD_WORDS : FIELD_NUMBERS;
		if (field.is_chars)
			field.kind =
				field.unnamed && n >= UNNAMED_SIZE_MIN ? FIELD_UNNAMED : FIELD_TEXT;
		field.is_sum =
			field.unnamed && field.width > 1 && !strcmp(walker->path.data, "value");
		field.is_hidden = field.kind == FIELD_NUMBERS && !field.is_sum;
	}
	field.size = n * field.width;
	add_field(walker, field, place.name);
}

/* Walks a type. DEPTH_MAX bounds the recursion, VISITS_MAX the total work. */
static void walk(struct walker *walker, uint32_t id, struct member_place place)
{
	const struct btf_type *type = resolve(walker->btf, id);

	walker->visits++;
	if (!type || is_full(walker) || walker->depth == DEPTH_MAX)
		return;
	walker->depth++;
	if (btf_is_composite(type)) {
		/* members of an anonymous struct belong to the enclosing struct */
		bool open = (place.name && *place.name) || walker->depth == 1;

		if (open)
			add_step(walker, LIVE_OBJECT, place.name);
		walk_members(walker, type, place.offset);
		if (open)
			add_step(walker, LIVE_OBJECT_END, NULL);
	} else if (btf_is_array(type)) {
		walk_array(walker, type, place);
	} else {
		struct layout_field field = number_field(type);

		field.offset = place.offset / 8;
		field.size = field.width;
		if (place.bits && field.width) {
			field.offset -= field.offset % field.width;
			field.shift = (uint8_t)(place.offset - field.offset * 8);
			field.bits = (uint8_t)place.bits;
		}
		/* a bit-field must not end after its number */
		if (field.bits + field.shift <= 8 * field.width)
			add_field(walker, field, place.name);
	}
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

void live_type_deinit(struct live_type *type)
{
	layout_deinit(&type->layout);
	vec_deinit(&type->steps);
	text_deinit(&type->names);
}

/* ---- entries --------------------------------------------------------------------------------- */

void live_shape_deinit(struct live_shape *shape)
{
	live_type_deinit(&shape->key);
	live_type_deinit(&shape->value);
}

struct error *live_shape_find(
	const struct live_map *map, const struct wanted *wanted, struct live_shape *ret)
{
	struct btf *btf;

	ret->map = map;
	if (!map->btf_id || !map->key_type || !map->value_type || map->kind != LIVE_COUNTS)
		return NULL;
	btf = btf__load_from_kernel_by_id(map->btf_id);
	if (!btf && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
		return error_errno(errno, "%s: cannot read its BTF", map->label);
	if (!btf)
		return NULL;
	live_type_make(btf, map->key_type, "key", map->key_size, &ret->key);
	live_type_make(btf, map->value_type, "value", map->value_size, &ret->value);
	ret->typed = ret->key.layout.fields.len && ret->value.layout.fields.len;
	layout_want(&ret->key.layout, wanted);
	layout_want(&ret->value.layout, wanted);
	btf__free(btf);
	return NULL;
}

size_t live_shape_room(const struct live_shape *shape)
{
	return shape->key.layout.fields.len + shape->value.layout.fields.len;
}

size_t live_shape_key(const struct live_shape *shape, const uint8_t *key, struct field *fields)
{
	return shape->typed ? layout_decode(&shape->key.layout, key, shape->map->key_size, fields)
			    : 0;
}

struct map_entry live_shape_entry(const struct live_shape *shape, const uint8_t *key,
	const uint8_t *value, int cpu, size_t key_fields, struct field *fields, struct row *row)
{
	const struct live_map *map = shape->map;
	struct map_entry entry = {.key = map->key_size ? key : NULL,
		.value = value,
		.key_len = map->key_size,
		.value_len = map->value_size,
		.cpu = cpu};

	if (!shape->typed)
		return entry;
	*row = (struct row){fields, key_fields + layout_decode(&shape->value.layout, value,
							 map->value_size, fields + key_fields)};
	entry.formatted = row;
	return entry;
}
