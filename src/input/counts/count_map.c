// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/count_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/xalloc.h"

#define ANY_CPU (-2)
#define TEXT_MAX 256 /* bytes; longer texts are no comm */
#define RAW_MAX 4096
#define DIGITS_MAX 18 /* such numbers fit in 64 bits */

struct count_map *count_map_create(const char *name, bool is_rows)
{
	struct count_map *map = xnew(map);

	map->name = xstrdup(name);
	map->is_rows = is_rows;
	map->rows = xnew(map->rows);
	map->raw = xnew(map->raw);
	return map;
}

void count_map_destroy(struct count_map *map)
{
	if (!map)
		return;
	free(map->name);
	vec_deinit(&map->entries);
	arena_deinit(&map->memory);
	packed_rows_destroy(map->rows);
	packed_rows_destroy(map->raw);
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

static struct field raw_field(const char *name, const void *bytes, size_t len)
{
	return (struct field){.name = name, .kind = FIELD_BYTES, .bytes = bytes, .len = len};
}

static const uint8_t *pack_raw(
	struct count_map *map, const void *key, size_t key_len, const void *value, size_t value_len)
{
	const struct field fields[] = {
		raw_field("key", key, key_len), raw_field("value", value, value_len)};

	return packed_rows_pack(map->raw, &(struct row){fields, array_len(fields)});
}

struct row count_map_raw(const struct count_map *map, size_t i)
{
	static const struct field none[] = {{.name = "key"}, {.name = "value"}};
	const uint8_t *raw = map->entries.data[i].raw;

	return raw ? packed_rows_unpack(map->raw, raw) : (struct row){none, array_len(none)};
}

const uint8_t *count_map_key(const struct count_map *map, size_t i)
{
	return (const uint8_t *)count_map_raw(map, i).fields[0].bytes;
}

const uint8_t *count_map_value(const struct count_map *map, size_t i)
{
	return (const uint8_t *)count_map_raw(map, i).fields[1].bytes;
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
	const char *before = map->entries.len ? vec_last(&map->entries)->place : NULL;
	size_t len = position ? strlen(position) : 0, end = len;

	if (!position)
		return;
	while (len && end - len < DIGITS_MAX && position[len - 1] >= '0' &&
		position[len - 1] <= '9')
		len--;
	while (position[len] == '0')
		len++;
	entry->place_number = strtoull(position + len, NULL, 10);
	entry->place = before && strlen(before) == len && !memcmp(before, position, len)
			       ? before
			       : arena_copy(&map->memory, position, len);
}

const char *count_map_position(const struct count_map *map, size_t i, struct arena *memory)
{
	const struct count_entry *entry = &map->entries.data[i];

	return entry->place && entry->place_number
		       ? arena_printf(memory, "%s%" PRIu64, entry->place, entry->place_number)
		       : entry->place;
}

static struct count_entry copy_entry(struct count_map *map, const struct map_entry *entry)
{
	struct count_entry copy = {
		.cpu = entry->cpu, .head = map->entries.len, .zero = value_is_zero(entry)};

	if (entry->formatted)
		copy.packed = pack_row(map, entry->formatted, entry);
	if (!entry->formatted || map->keeps_raw) {
		copy.key_len = entry->key ? (uint32_t)entry->key_len : 0;
		copy.value_len = entry->value ? (uint32_t)entry->value_len : 0;
		copy.raw = pack_raw(map, entry->key, copy.key_len, entry->value, copy.value_len);
	}
	keep_position(map, entry->position, &copy);
	return copy;
}

/* Sets `key` to what KEY (LEN bytes) is called in the table, still without CPU. */
static void set_key(struct count_map *map, const void *key, size_t len)
{
	const struct field field = raw_field("key", key, len);

	text_clear(&map->key);
	if (len)
		packed_rows_add_field(map->raw, &field, &map->key);
}

/* Returns a pointer to the index + 1 for `key` and CPU. It is 0, to be set, if they are new. */
static uint64_t *number_of(struct count_map *map, int cpu)
{
	size_t len = map->key.len;

	text_add(&map->key, (const char *)&cpu, sizeof(cpu));
	uint64_t *number = table_at(&map->keys, map->key.data, map->key.len, NULL);
	map->key.len = len;
	return number;
}

void count_map_add(struct count_map *map, const struct map_entry *entry)
{
	struct count_entry copy = copy_entry(map, entry);

	map->per_cpu |= entry->cpu >= 0;
	text_clear(&map->key);
	/* per-CPU entries need the table, to find the first one of their key */
	if (!entry->distinct || entry->cpu >= 0) {
		set_key(map, entry->key, entry->key ? entry->key_len : 0);
		/* in dumps without raw bytes, the fields identify the entry */
		if (!entry->key && entry->formatted)
			row_each(field, entry->formatted)
				if (field_in_key(field))
					packed_rows_add_field(map->rows, field, &map->key);
	}
	if (!map->key.len) {
		vec_push(&map->entries, copy);
		return;
	}
	if (copy.cpu >= 0) {
		uint64_t *head = number_of(map, ANY_CPU);

		if (!*head)
			*head = map->entries.len + 1;
		copy.head = *head - 1;
	}
	uint64_t *number = number_of(map, copy.cpu);
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

void count_map_append(struct count_map *map, struct count_map *from)
{
	count_each(i, from) {
		const struct count_entry *entry = &from->entries.data[i];
		const struct row row = count_map_row(from, i), raw = count_map_raw(from, i);
		const struct map_entry again = {
			.key = (const uint8_t *)raw.fields[0].bytes,
			.value = (const uint8_t *)raw.fields[1].bytes,
			.key_len = entry->key_len,
			.value_len = entry->value_len,
			.cpu = entry->cpu,
			.formatted = row.n ? &row : NULL,
			.position = count_map_position(from, i, &from->memory),
		};

		count_map_add(map, &again);
	}
	count_map_destroy(from);
}

void count_map_add_stacks(struct count_map *map, const struct stack_store *store)
{
	struct arena scratch = {};

	for (size_t i = 0; i < store->stacks.len; i++) {
		const struct stored_stack *stack = &store->stacks.data[i];
		const uint32_t id = (uint32_t)stack->id;
		const struct map_entry entry = {
			.key = (const uint8_t *)&id,
			.key_len = sizeof(id),
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
	set_key(map, key, len);
	text_add(&map->key, (const char *)&cpu, sizeof(cpu));
	const uint64_t *number = table_find(&map->keys, map->key.data, map->key.len);
	return number && *number ? *number - 1 : SIZE_MAX;
}

bool count_map_replace(struct count_map *map, size_t i, const struct map_entry *entry)
{
	struct count_entry *old = &map->entries.data[i];
	const struct row row = count_map_row(map, i);

	if (row.n) {
		if (!entry->formatted)
			return false;
		map->fields.len = 0;
		vec_append(&map->fields, row.fields, row.n);
		vec_each(field, &map->fields) {
			if (!field_in_value(field))
				continue;
			const struct field *from = row_field(entry->formatted, field->name);
			if (!from || from->kind == FIELD_UNNAMED)
				return false;
			const char *name = field->name;
			*field = *from;
			field->name = name;
		}
		old->packed = packed_rows_pack(map->rows, &(struct row){map->fields.data, row.n});
	}
	if (old->raw)
		old->raw = pack_raw(
			map, count_map_key(map, i), old->key_len, entry->value, old->value_len);
	old->zero = value_is_zero(entry);
	return true;
}

void count_map_clear(struct count_map *map)
{
	map->entries.len = 0;
	table_clear(&map->keys);
	arena_deinit(&map->memory);
	arena_deinit(&map->rows->memory);
	arena_deinit(&map->raw->memory);
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

void count_map_filter(struct count_map *map)
{
	size_t n = map->entries.len, kept = 0;
	struct moved_entry *moved = xcalloc(n, sizeof(*moved));

	for (size_t i = 0; i < n; i++) {
		struct count_entry entry = map->entries.data[i];
		size_t *head = &moved[entry.head].head;

		if (entry.removed)
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

void count_map_compact(struct count_map *map)
{
	uint64_t next = 0;

	if (map->is_rows || map->repeated)
		return;
	count_key_each(i, map) {
		const struct row row = count_map_row(map, i);
		const struct field *key = row_field(&row, "key");
		uint64_t index = UINT64_MAX; /* 4 raw bytes, or a number that is the whole key */

		if (!row.n && map->entries.data[i].key_len == sizeof(uint32_t))
			index = load_u32(count_map_key(map, i));
		else if (key && key->kind == FIELD_NUMBER)
			index = key->number;
		if (index != next++)
			return;
	}
	if (!next)
		return;
	vec_each(entry, &map->entries)
		entry->removed = entry->zero;
	count_map_filter(map);
	map->empty = !map->entries.len;
	map->entries.len += map->empty;
}
