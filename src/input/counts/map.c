// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/map.h"

#include <stdlib.h>
#include <string.h>

#include "input/roles/value_array.h"
#include "util/xalloc.h"

#define ANY_CPU (-2)
#define TEXT_MAX 256 /* bytes; longer ones are no comm */
#define RAW_MAX 4096

struct count_map *count_map_create(const char *name, bool is_rows)
{
	struct count_map *map = xcalloc(1, sizeof(*map));

	map->name = xstrdup(name);
	map->is_rows = is_rows;
	return map;
}

void count_map_destroy(struct count_map *map)
{
	if (!map)
		return;
	free(map->name);
	vec_deinit(&map->entries);
	arena_deinit(&map->memory);
	table_deinit(&map->keys);
	text_deinit(&map->key);
	free(map);
}

/* Whether RAW spells TEXT, in which bpftool wrote a newline for each backslash. */
static bool spells(const char *raw, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (raw[i] != text[i] && !(raw[i] == '\\' && text[i] == '\n'))
			return false;
	return true;
}

/*
 * bpftool (7.1) prints a backslash in a formatted string as a newline; the raw bytes beside it
 * know better. What raw bytes spell the text, or the text itself.
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

/* The names of the entry before are used again where they are equal, as they nearly always are. */
static const char *shared_name(struct count_map *map, const char *name, size_t i)
{
	if (map->entries.len) {
		const struct row *last = &map->entries.data[map->entries.len - 1].row;

		if (i < last->n && !strcmp(last->fields[i].name, name))
			return last->fields[i].name;
	}
	return arena_string(&map->memory, name);
}

static struct row copy_row(
	struct count_map *map, const struct row *row, const struct map_entry *entry)
{
	struct field *fields = arena_alloc(&map->memory, row->n * sizeof(*fields));

	for (size_t i = 0; i < row->n; i++) {
		fields[i] = row->fields[i];
		fields[i].name = shared_name(map, fields[i].name, i);
		if (fields[i].kind == FIELD_NUMBER)
			continue;
		map->unnamed |= fields[i].kind == FIELD_UNNAMED;
		const char *bytes = fields[i].bytes;
		if (entry && fields[i].kind == FIELD_TEXT && fields[i].len)
			bytes = true_text(&fields[i], entry);
		fields[i].bytes = arena_copy(&map->memory, bytes, fields[i].len);
	}
	if (map->sums_arrays)
		value_array_sum(fields, row->n);
	return (struct row){fields, row->n};
}

/* The formatted key as bytes, where a dump has no raw ones. */
static void key_of_fields(const struct row *row, struct text *ret)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct field *field = &row->fields[i];

		if (strcmp(field->name, "key") && strncmp(field->name, "key.", 4))
			continue;
		if (field->kind == FIELD_NUMBER) {
			text_add(ret, (const char *)&field->number, sizeof(field->number));
			continue;
		}
		text_add(ret, (const char *)&field->len, sizeof(field->len));
		text_add(ret, field->bytes, field->len);
	}
}

static bool field_is_zero(const struct field *field)
{
	if (field->kind == FIELD_NUMBER)
		return !field->number;
	for (size_t i = 0; i < field->len; i++)
		if (field->bytes[i])
			return false;
	return true;
}

static bool value_is_zero(const struct map_entry *entry)
{
	const struct row *row = entry->formatted;

	for (size_t i = 0; entry->value && i < entry->value_len; i++)
		if (entry->value[i])
			return false;
	for (size_t i = 0; !entry->value && row && i < row->n; i++)
		if (!strncmp(row->fields[i].name, "value", 5) && !field_is_zero(&row->fields[i]))
			return false;
	return true;
}

static struct count_entry copy_entry(struct count_map *map, const struct map_entry *entry)
{
	struct count_entry copy = {
		.cpu = entry->cpu, .head = map->entries.len, .zero = value_is_zero(entry)};

	if (entry->formatted)
		copy.row = copy_row(map, entry->formatted, entry);
	if (!entry->formatted || map->keeps_raw) {
		copy.key_len = entry->key ? entry->key_len : 0;
		copy.key = (uint8_t *)arena_copy(&map->memory, entry->key, copy.key_len);
		copy.value_len = entry->value ? entry->value_len : 0;
		copy.value = (uint8_t *)arena_copy(&map->memory, entry->value, copy.value_len);
	}
	if (entry->position)
		copy.position = arena_string(&map->memory, entry->position);
	return copy;
}

/* The number (from 1) under KEY and CPU; 0, and to be set, if it is new. */
static uint64_t *number_of(struct count_map *map, struct text *key, int cpu)
{
	size_t len = key->len;

	text_add(key, (const char *)&cpu, sizeof(cpu));
	uint64_t *number = table_at(&map->keys, key->data, key->len, NULL);
	key->len = len;
	return number;
}

/* Adds COPY, whose key is KEY, or puts it in the place of the one it repeats. */
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
	struct text *key = &map->key;

	text_clear(key);
	if (entry->key)
		text_add(key, (const char *)entry->key, entry->key_len);
	else if (entry->formatted)
		key_of_fields(entry->formatted, key);
	struct count_entry copy = copy_entry(map, entry);
	map->per_cpu |= entry->cpu >= 0;
	if (key->len)
		place_entry(map, copy, key);
	else
		vec_push(&map->entries, copy);
}

void count_map_append(struct count_map *map, const struct count_map *from)
{
	for (size_t i = 0; i < from->entries.len; i++) {
		const struct count_entry *entry = &from->entries.data[i];
		const struct map_entry again = {
			.key = entry->key_len ? entry->key : NULL,
			.value = entry->value_len ? entry->value : NULL,
			.key_len = entry->key_len,
			.value_len = entry->value_len,
			.cpu = entry->cpu,
			.formatted = entry->row.n ? &entry->row : NULL,
			.position = entry->position,
		};

		count_map_add(map, &again);
	}
}

struct count_map *count_map_of_stacks(const struct stack_store *store, struct count_map *rest)
{
	struct count_map *map = count_map_create(rest->name, false);
	struct arena scratch = {};

	map->choice = rest->choice;
	map->lookups = rest->lookups;
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
		arena_deinit(&scratch);
	}
	count_map_append(map, rest);
	count_map_destroy(rest);
	return map;
}

void count_map_add_row(
	struct count_map *map, const struct row *row, const char *position, uint64_t time)
{
	struct count_entry copy = {.cpu = -1, .head = map->entries.len, .time = time};

	copy.row = copy_row(map, row, NULL);
	if (position)
		copy.position = arena_string(&map->memory, position);
	vec_push(&map->entries, copy);
}

size_t count_map_find(struct count_map *map, const void *key, size_t len, int cpu)
{
	struct text *scratch = &map->key;

	text_clear(scratch);
	text_add(scratch, key, len);
	text_add(scratch, (const char *)&cpu, sizeof(cpu));
	const uint64_t *number = table_find(&map->keys, scratch->data, scratch->len);
	return number && *number ? *number - 1 : SIZE_MAX;
}

static const struct field *field_named(const struct row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->fields[i].name, name))
			return &row->fields[i];
	return NULL;
}

/* The fields of OLD, those of the value as in FRESH. */
static bool replace_fields(
	struct count_map *map, const struct row *old, const struct row *fresh, struct row *ret)
{
	struct field *fields = arena_alloc(&map->memory, old->n * sizeof(*fields));

	for (size_t i = 0; i < old->n; i++) {
		fields[i] = old->fields[i];
		if (strncmp(fields[i].name, "value", 5) != 0)
			continue;
		const struct field *from = field_named(fresh, fields[i].name);
		if (!from || from->kind == FIELD_UNNAMED)
			return false;
		fields[i] = *from;
		fields[i].name = old->fields[i].name;
		if (map->sums_arrays)
			value_array_sum(&fields[i], 1);
		if (fields[i].kind != FIELD_NUMBER)
			fields[i].bytes = arena_copy(&map->memory, from->bytes, from->len);
	}
	*ret = (struct row){fields, old->n};
	return true;
}

bool count_map_replace(struct count_map *map, size_t i, const struct map_entry *entry)
{
	struct count_entry *old = &map->entries.data[i];

	if (old->row.n &&
		!(entry->formatted && replace_fields(map, &old->row, entry->formatted, &old->row)))
		return false;
	if (old->value)
		old->value = (uint8_t *)arena_copy(&map->memory, entry->value, entry->value_len);
	old->zero = value_is_zero(entry);
	return true;
}

void count_map_clear(struct count_map *map)
{
	map->entries.len = 0;
	table_clear(&map->keys);
	arena_deinit(&map->memory);
}
