// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/varint.h"
#include "util/xalloc.h"

#define ANY_CPU (-2)
#define TEXT_MAX 256 /* bytes; longer texts are no comm */
#define RAW_MAX 4096
#define DIGITS_MAX 18 /* such numbers fit in 64 bits */

struct count_map *count_map_create(const char *name, bool is_rows)
{
	struct count_map *map = xcalloc(1, sizeof(*map));

	map->name = xstrdup(name);
	map->is_rows = is_rows;
	map->rows = xcalloc(1, sizeof(*map->rows));
	map->raw_keys = xcalloc(1, sizeof(*map->raw_keys));
	map->raw_values = xcalloc(1, sizeof(*map->raw_values));
	map->raw_keys->words = map->raw_values->words = &map->rows->words;
	return map;
}

void count_map_destroy(struct count_map *map)
{
	if (!map)
		return;
	free(map->name);
	vec_deinit(&map->entries);
	arena_deinit(&map->memory);
	packed_rows_deinit(map->rows);
	free(map->rows);
	packed_bytes_deinit(map->raw_keys);
	free(map->raw_keys);
	packed_bytes_deinit(map->raw_values);
	free(map->raw_values);
	table_deinit(&map->keys);
	text_deinit(&map->key);
	vec_deinit(&map->fields);
	free(map);
}

/* Returns true if RAW equals TEXT, where bpftool printed each backslash as a newline. */
static bool spells(const char *raw, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (raw[i] != text[i] && !(raw[i] == '\\' && text[i] == '\n'))
			return false;
	return true;
}

/*
 * Returns the text of FIELD without an error of bpftool 7.1, which prints a backslash in formatted
 * strings as a newline: the raw bytes that match it, or the text itself.
 */
static const char *true_text(const struct field *field, const struct map_entry *entry)
{
	bool key = !strncmp(field->name, "key", 3);
	const char *raw = (const char *)(key ? entry->key : entry->value);
	size_t raw_len = key ? entry->key_len : entry->value_len;

	if (!raw || field->len > TEXT_MAX || raw_len > RAW_MAX ||
		!memchr(field->bytes, '\n', field->len))
		return field->bytes;
	for (size_t at = 0; at + field->len <= raw_len; at++)
		if (spells(raw + at, field->bytes, field->len))
			return raw + at;
	return field->bytes;
}

static const uint8_t *pack_row(
	struct count_map *map, const struct row *row, const struct map_entry *entry)
{
	map->fields.len = 0;
	vec_append(&map->fields, row->fields, row->n);
	struct field *fields = map->fields.data;
	for (size_t i = 0; i < row->n; i++) {
		map->unnamed |= fields[i].kind == FIELD_UNNAMED;
		if (entry && fields[i].kind == FIELD_TEXT && fields[i].len)
			fields[i].bytes = true_text(&fields[i], entry);
	}
	return packed_rows_pack(map->rows, &(struct row){fields, row->n});
}

struct row count_map_row(const struct count_map *map, size_t i)
{
	return packed_rows_unpack(map->rows, map->entries.data[i].packed);
}

void count_map_set_row(struct count_map *map, size_t i, const struct row *row)
{
	map->entries.data[i].packed = packed_rows_pack(map->rows, row);
}

const uint8_t *count_map_key(const struct count_map *map, size_t i)
{
	const struct count_entry *entry = &map->entries.data[i];

	return packed_bytes_unpack(map->raw_keys, entry->key, entry->key_len);
}

const uint8_t *count_map_value(const struct count_map *map, size_t i)
{
	const struct count_entry *entry = &map->entries.data[i];

	return packed_bytes_unpack(map->raw_values, entry->value, entry->value_len);
}

void count_map_seal(struct count_map *map)
{
	table_deinit(&map->keys);
}

/* Appends the formatted key as bytes, for dumps without raw bytes. */
static void key_of_fields(const struct row *row, struct text *ret)
{
	row_each(field, row) {
		if (!field_in_key(field))
			continue;
		if (field->kind == FIELD_NUMBER) {
			text_add(ret, (const char *)&field->number, sizeof(field->number));
			continue;
		}
		text_add(ret, (const char *)&field->len, sizeof(field->len));
		text_add(ret, field->bytes, field->len);
	}
}

static bool value_is_zero(const struct map_entry *entry)
{
	const struct row *row = entry->formatted;

	if (entry->value)
		return scan_is_zero(entry->value, entry->value_len);
	for (size_t i = 0; row && i < row->n; i++) {
		const struct field *field = &row->fields[i];

		if (field_in_value(field) &&
			(field->kind == FIELD_NUMBER ? field->number != 0
						     : !scan_is_zero(field->bytes, field->len)))
			return false;
	}
	return true;
}

/* Stores POSITION. The part before its number is shared with the previous entry if equal. */
static void keep_position(struct count_map *map, const char *position, struct count_entry *entry)
{
	const char *before =
		map->entries.len ? map->entries.data[map->entries.len - 1].place : NULL;
	size_t len = position ? strlen(position) : 0, digits = 0;

	if (!position)
		return;
	while (digits < len && digits < DIGITS_MAX && position[len - digits - 1] >= '0' &&
		position[len - digits - 1] <= '9')
		digits++;
	while (digits > 1 && position[len - digits] == '0')
		digits--;
	entry->numbered = digits > 0;
	entry->place_number = digits ? strtoull(position + len - digits, NULL, 10) : 0;
	len -= digits;
	entry->place = before && strlen(before) == len && !memcmp(before, position, len)
			       ? before
			       : arena_copy(&map->memory, position, len);
}

const char *count_map_position(const struct count_map *map, size_t i, struct arena *memory)
{
	const struct count_entry *entry = &map->entries.data[i];

	if (!entry->place || !entry->numbered)
		return entry->place;
	size_t len = strlen(entry->place);
	char *position = arena_alloc(memory, len + DIGITS_MAX + 1);
	memcpy(position, entry->place, len);
	snprintf(position + len, DIGITS_MAX + 1, "%" PRIu64, entry->place_number);
	return position;
}

static bool keeps_raw(const struct count_map *map, const struct map_entry *entry)
{
	return !entry->formatted || map->keeps_raw;
}

static const uint8_t *keep_packed(struct count_map *map, const struct text *packed)
{
	return (uint8_t *)arena_copy(&map->memory, packed->data, packed->len);
}

/* Returns a copy of ENTRY. If its raw key is kept, set_key() has packed it. */
static struct count_entry copy_entry(struct count_map *map, const struct map_entry *entry)
{
	struct count_entry copy = {
		.cpu = entry->cpu, .head = map->entries.len, .zero = value_is_zero(entry)};

	if (entry->formatted)
		copy.packed = pack_row(map, entry->formatted, entry);
	if (keeps_raw(map, entry)) {
		copy.key_len = entry->key ? (uint32_t)entry->key_len : 0;
		copy.key = keep_packed(map, entry->key ? &map->raw_keys->packed : &(struct text){});
		copy.value_len = entry->value ? (uint32_t)entry->value_len : 0;
		packed_bytes_pack(map->raw_values, entry->value, copy.value_len);
		copy.value = keep_packed(map, &map->raw_values->packed);
	}
	keep_position(map, entry->position, &copy);
	return copy;
}

/*
 * Packs KEY (LEN bytes, possibly in `key` itself) into `raw_keys`, and returns `key` as the key for
 * the table, still without CPU.
 */
static struct text *set_key(struct count_map *map, const void *key, size_t len)
{
	packed_bytes_pack(map->raw_keys, key, len);
	text_clear(&map->key);
	if (!len)
		return &map->key;
	varint_add(&map->key, len);
	text_add(&map->key, map->raw_keys->packed.data, map->raw_keys->packed.len);
	return &map->key;
}

/* Returns true if ENTRY needs the table. Per-CPU entries do, to find the first one of their key. */
static bool is_found(const struct map_entry *entry)
{
	return !entry->distinct || entry->cpu >= 0;
}

/* Calls set_key() for the key of ENTRY. Returns NULL if the key is not needed. */
static struct text *set_key_of(struct count_map *map, const struct map_entry *entry)
{
	if (!is_found(entry) && !keeps_raw(map, entry))
		return NULL;
	if (entry->key)
		return set_key(map, entry->key, entry->key_len);
	text_clear(&map->key);
	if (entry->formatted)
		key_of_fields(entry->formatted, &map->key);
	return set_key(map, map->key.data, map->key.len);
}

/* Returns a pointer to the index + 1 for KEY and CPU. It is 0, to be set, if they are new. */
static uint64_t *number_of(struct count_map *map, struct text *key, int cpu)
{
	size_t len = key->len;

	text_add(key, (const char *)&cpu, sizeof(cpu));
	uint64_t *number = table_at(&map->keys, key->data, key->len, NULL);
	key->len = len;
	return number;
}

/* Adds COPY, whose key is KEY, or replaces the earlier entry with the same key and CPU by it. */
static void place_entry(struct count_map *map, struct count_entry copy, struct text *key)
{
	if (copy.cpu >= 0) {
		uint64_t *head = number_of(map, key, ANY_CPU);

		if (!*head)
			*head = map->entries.len + 1;
		copy.head = *head - 1;
	}
	uint64_t *number = number_of(map, key, copy.cpu);
	if (*number) {
		if (copy.cpu < 0)
			copy.head = *number - 1;
		map->entries.data[*number - 1] = copy;
		map->repeated++;
		return;
	}
	*number = map->entries.len + 1;
	vec_push(&map->entries, copy);
}

void count_map_add(struct count_map *map, const struct map_entry *entry)
{
	struct text *key = set_key_of(map, entry);
	struct count_entry copy = copy_entry(map, entry);
	map->per_cpu |= entry->cpu >= 0;
	if (is_found(entry) && key->len)
		place_entry(map, copy, key);
	else
		vec_push(&map->entries, copy);
}

void count_map_append(struct count_map *map, const struct count_map *from)
{
	struct arena scratch = {};

	for (size_t i = 0; i < from->entries.len; i++) {
		const struct count_entry *entry = &from->entries.data[i];
		const struct row row = count_map_row(from, i);
		const struct map_entry again = {
			.key = entry->key_len ? count_map_key(from, i) : NULL,
			.value = entry->value_len ? count_map_value(from, i) : NULL,
			.key_len = entry->key_len,
			.value_len = entry->value_len,
			.cpu = entry->cpu,
			.formatted = row.n ? &row : NULL,
			.position = count_map_position(from, i, &scratch),
		};

		count_map_add(map, &again);
		arena_clear(&scratch);
	}
	arena_deinit(&scratch);
}

void count_map_add_stacks(struct count_map *map, const struct stack_store *store)
{
	struct arena scratch = {};

	for (size_t i = 0; i < stack_store_count(store); i++) {
		const struct stored_stack *stack = stack_store_at(store, i);
		const struct map_entry entry = {
			.key = (const uint8_t *)&stack->id,
			.key_len = sizeof(stack->id),
			.value = stack_store_bytes(store, stack, &scratch),
			.value_len = stack->len,
			.cpu = -1,
		};

		count_map_add(map, &entry);
		arena_clear(&scratch);
	}
	arena_deinit(&scratch);
}

void count_map_add_row(
	struct count_map *map, const struct row *row, const char *position, uint64_t time)
{
	struct count_entry copy = {.cpu = -1, .head = map->entries.len, .time = time};

	copy.packed = pack_row(map, row, NULL);
	keep_position(map, position, &copy);
	vec_push(&map->entries, copy);
}

size_t count_map_find(struct count_map *map, const void *key, size_t len, int cpu)
{
	struct text *scratch = set_key(map, key, len);

	text_add(scratch, (const char *)&cpu, sizeof(cpu));
	const uint64_t *number = table_find(&map->keys, scratch->data, scratch->len);
	return number && *number ? *number - 1 : SIZE_MAX;
}

/*
 * Sets the value fields of entry I, whose fields are OLD, to those of FRESH. Returns false if FRESH
 * lacks one.
 */
static bool replace_fields(
	struct count_map *map, size_t i, const struct row *old, const struct row *fresh)
{
	map->fields.len = 0;
	vec_append(&map->fields, old->fields, old->n);
	struct field *fields = map->fields.data;
	for (size_t j = 0; j < old->n; j++) {
		if (!field_in_value(&fields[j]))
			continue;
		const struct field *from = row_field(fresh, fields[j].name);
		if (!from || from->kind == FIELD_UNNAMED)
			return false;
		fields[j] = *from;
		fields[j].name = old->fields[j].name;
	}
	count_map_set_row(map, i, &(struct row){fields, old->n});
	return true;
}

bool count_map_replace(struct count_map *map, size_t i, const struct map_entry *entry)
{
	struct count_entry *old = &map->entries.data[i];
	const struct row row = count_map_row(map, i);

	if (row.n && !(entry->formatted && replace_fields(map, i, &row, entry->formatted)))
		return false;
	if (old->value) {
		packed_bytes_pack(map->raw_values, entry->value, entry->value_len);
		old->value = keep_packed(map, &map->raw_values->packed);
	}
	old->zero = value_is_zero(entry);
	return true;
}

void count_map_clear(struct count_map *map)
{
	map->entries.len = 0;
	table_clear(&map->keys);
	arena_deinit(&map->memory);
	arena_deinit(&map->rows->memory);
}

/* new index of an entry, and of the first one with its key, + 1; 0: removed */
struct moved_entry {
	size_t number, head;
};

static bool renumber(void *context, uint64_t *number)
{
	const struct moved_entry *moved = context;

	*number = moved[*number - 1].number;
	return *number != 0;
}

void count_map_filter(struct count_map *map,
	bool (*keeps)(const struct count_map *map, size_t i, uint64_t wanted), uint64_t wanted)
{
	size_t n = map->entries.len, kept = 0;
	struct moved_entry *moved = xcalloc(n, sizeof(*moved));

	for (size_t i = 0; i < n; i++) {
		struct count_entry entry = map->entries.data[i];
		size_t *head = &moved[entry.head].head;

		if (!keeps(map, i, wanted))
			continue;
		moved[i].number = kept + 1;
		*head = *head ? *head : kept + 1;
		entry.head = *head - 1;
		map->entries.data[kept++] = entry;
	}
	map->entries.len = kept;
	table_keep(&map->keys, renumber, moved);
	free(moved);
}

/* ---- arrays --------------------------------------------------------------------------------- */

/*
 * Sets RET to the key of entry I: 4 raw bytes, or a number that is the whole key. Returns false if
 * it is neither.
 */
static bool index_of(const struct count_map *map, size_t i, uint64_t *ret)
{
	const struct row row = count_map_row(map, i);
	const struct field *key = row_field(&row, "key");
	uint32_t number;

	if (row.n) {
		*ret = key ? key->number : 0;
		return key && key->kind == FIELD_NUMBER;
	}
	if (map->entries.data[i].key_len != sizeof(number))
		return false;
	memcpy(&number, count_map_key(map, i), sizeof(number));
	*ret = number;
	return true;
}

static bool is_array(const struct count_map *map)
{
	uint64_t next = 0, index;

	if (map->is_rows || map->repeated)
		return false;
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->head != i)
			continue;
		if (!index_of(map, i, &index) || index != next++)
			return false;
	}
	return next > 0;
}

static bool is_set(const struct count_map *map, size_t i, uint64_t unused)
{
	(void)unused;
	return !map->entries.data[i].zero;
}

void count_map_compact(struct count_map *map)
{
	if (!is_array(map))
		return;
	count_map_filter(map, is_set, 0);
	map->empty = !map->entries.len;
	map->entries.len += map->empty;
}
