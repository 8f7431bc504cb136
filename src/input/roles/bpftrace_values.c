// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/bpftrace_values.h"

#include <string.h>

#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

#define ROW_SIZE sizeof(uint64_t)
#define FIRST "value.0"
#define SECOND "value.1"

enum bpftrace_part bpftrace_part_named(const char *field)
{
	if (field && field_path_matches("value.count", field))
		return BPFTRACE_PART_COUNT;
	if (field && field_path_matches("value.total", field))
		return BPFTRACE_PART_TOTAL;
	return BPFTRACE_PART_NONE;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What is there under one key without its row. */
struct prefix {
	bool rows[2];
	bool contradicted; /* a CPU has a total and no count */
};

struct prefix_counts {
	const struct count_map *map;
	struct table prefixes; /* key without row → index in all */
	struct table counts;   /* the same and CPU → 1, where it is not 0 */
	struct VEC(struct prefix) all;
	struct text key; /* scratch */
};

static void look_deinit(struct prefix_counts *look)
{
	table_deinit(&look->prefixes);
	table_deinit(&look->counts);
	vec_deinit(&look->all);
	text_deinit(&look->key);
}

static uint64_t row_of(const struct count_map *map, size_t i)
{
	uint64_t row;

	memcpy(&row, count_map_key(map, i) + map->entries.data[i].key_len - ROW_SIZE, ROW_SIZE);
	return row;
}

static bool has_rows(const struct count_map *map)
{
	size_t len = map->entries.len ? map->entries.data[0].key_len : 0;

	if (!map->per_cpu || len < 2 * ROW_SIZE || len % ROW_SIZE)
		return false;
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->key_len != len || entry->value_len != sizeof(uint64_t) ||
			row_of(map, i) > 1)
			return false;
	}
	return true;
}

static struct prefix *prefix_of(struct prefix_counts *look, size_t i)
{
	bool added;
	size_t len = look->map->entries.data[i].key_len - ROW_SIZE;
	uint64_t *index = table_at(&look->prefixes, count_map_key(look->map, i), len, &added);

	if (added) {
		*index = look->all.len;
		vec_push(&look->all, (struct prefix){});
	}
	return &look->all.data[*index];
}

/* The key without row, and the CPU. */
static const struct text *cpu_key(struct prefix_counts *look, size_t i)
{
	const struct count_entry *entry = &look->map->entries.data[i];

	text_clear(&look->key);
	text_add(&look->key, (const char *)count_map_key(look->map, i), entry->key_len - ROW_SIZE);
	text_add(&look->key, (const char *)&entry->cpu, sizeof(entry->cpu));
	return &look->key;
}

static void look_row(struct prefix_counts *look, size_t i, uint64_t row)
{
	if (row_of(look->map, i) != row)
		return;
	struct prefix *prefix = prefix_of(look, i);
	prefix->rows[row] = true;
	if (look->map->entries.data[i].zero)
		return;
	const struct text *key = cpu_key(look, i);
	if (!row)
		table_at(&look->counts, key->data, key->len, NULL);
	else if (!table_find(&look->counts, key->data, key->len))
		prefix->contradicted = true;
}

/*
 * Both rows are written at once, on one CPU. A few that are not tell nothing: maps are read while
 * they are written. Where most are not, as with the CPU at the end of the key, it is something
 * else.
 */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map)
{
	scope_guard(look_deinit) struct prefix_counts look = {.map = map};
	size_t against = 0;

	if (!has_rows(map))
		return BPFTRACE_NO_ROWS;
	for (uint64_t row = 0; row < 2; row++)
		for (size_t i = 0; i < map->entries.len; i++)
			look_row(&look, i, row);
	for (size_t i = 0; i < look.all.len; i++) {
		const struct prefix *prefix = &look.all.data[i];

		against += prefix->contradicted || !prefix->rows[0] || !prefix->rows[1];
	}
	return 2 * against < look.all.len ? BPFTRACE_ROWS : BPFTRACE_MAYBE_ROWS;
}

void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part)
{
	uint64_t wanted = part == BPFTRACE_PART_TOTAL;
	struct VEC(size_t) moved = {}; /* where an entry is now */
	size_t kept = 0;

	for (size_t i = 0; i < map->entries.len; i++) {
		struct count_entry entry = map->entries.data[i];

		vec_push(&moved, kept);
		if (row_of(map, i) != wanted)
			continue;
		/* The first entry of a key comes before the others, and has the same row. */
		entry.head = moved.data[entry.head];
		map->entries.data[kept++] = entry;
	}
	map->entries.len = kept;
	vec_deinit(&moved);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* The two numbers of a value that has no others. */
static bool find_pair(const struct row *row, size_t *first_ret, size_t *second_ret)
{
	size_t first = ROLE_NO_FIELD, second = ROLE_NO_FIELD;

	for (size_t i = 0; i < row->n; i++) {
		const struct field *field = &row->fields[i];

		if (!field_in_value(field))
			continue;
		if (field->kind != FIELD_NUMBER)
			return false;
		if (!strcmp(field->name, FIRST))
			first = i;
		else if (!strcmp(field->name, SECOND))
			second = i;
		else
			return false;
	}
	*first_ret = first;
	*second_ret = second;
	return first != ROLE_NO_FIELD && second != ROLE_NO_FIELD;
}

enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map)
{
	bool counted = false;

	if (!map->per_cpu)
		return BPFTRACE_NO_PAIRS;
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row row = count_map_row(map, i);
		size_t first, second;

		if (!find_pair(&row, &first, &second))
			return BPFTRACE_NO_PAIRS;
		uint64_t count = row.fields[second].number;
		if ((!count && row.fields[first].number) || count > INT64_MAX)
			return BPFTRACE_NO_PAIRS;
		counted |= count > 1;
	}
	return counted ? BPFTRACE_PAIRS_COUNTED : BPFTRACE_PAIRS;
}

void bpftrace_pairs_name(struct count_map *map)
{
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row row = count_map_row(map, i);
		size_t first, second;

		if (!find_pair(&row, &first, &second))
			continue;
		map->fields.len = 0;
		vec_append(&map->fields, row.fields, row.n);
		map->fields.data[first].name = "value.total";
		map->fields.data[second].name = "value.count";
		count_map_set_row(map, i, &(struct row){map->fields.data, row.n});
	}
}
