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

/* The first entries of one key by its row; SIZE_MAX: there is none. */
struct prefix {
	size_t heads[2];
};

struct prefixes {
	struct table index; /* key without row → index in all */
	struct VEC(struct prefix) all;
};

static void prefixes_deinit(struct prefixes *prefixes)
{
	table_deinit(&prefixes->index);
	vec_deinit(&prefixes->all);
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

static struct prefix *prefix_of(struct prefixes *prefixes, const struct count_map *map, size_t i)
{
	bool added;
	size_t len = map->entries.data[i].key_len - ROW_SIZE;
	uint64_t *index = table_at(&prefixes->index, count_map_key(map, i), len, &added);

	if (added) {
		*index = prefixes->all.len;
		vec_push(&prefixes->all, (struct prefix){{SIZE_MAX, SIZE_MAX}});
	}
	return &prefixes->all.data[*index];
}

/* Whether entry I is there, of the key whose first entry is HEAD, and counted something. */
static bool is_counted(const struct count_map *map, size_t i, size_t head)
{
	return i < map->entries.len && map->entries.data[i].head == head &&
	       !map->entries.data[i].zero;
}

/* Whether a row is missing, or a CPU has a total and no count. The values of a key are in the order of CPUs. */
static bool speaks_against(const struct count_map *map, const struct prefix *prefix)
{
	size_t count = prefix->heads[0], total = prefix->heads[1];

	if (count == SIZE_MAX || total == SIZE_MAX)
		return true;
	for (size_t i = 0;
		total + i < map->entries.len && map->entries.data[total + i].head == total; i++)
		if (!map->entries.data[total + i].zero && !is_counted(map, count + i, count))
			return true;
	return false;
}

/*
 * Both rows are written at once, on one CPU. A few that are not tell nothing: maps are read while
 * they are written. Where most are not, as with the CPU at the end of the key, it is something
 * else.
 */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map)
{
	scope_guard(prefixes_deinit) struct prefixes prefixes = {};
	size_t against = 0;

	if (!has_rows(map))
		return BPFTRACE_NO_ROWS;
	for (size_t i = 0; i < map->entries.len; i++)
		if (map->entries.data[i].head == i)
			prefix_of(&prefixes, map, i)->heads[row_of(map, i)] = i;
	for (size_t i = 0; i < prefixes.all.len; i++)
		against += speaks_against(map, &prefixes.all.data[i]);
	return 2 * against < prefixes.all.len ? BPFTRACE_ROWS : BPFTRACE_MAYBE_ROWS;
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
	packed_rows_rename(map->rows, FIRST, "value.total");
	packed_rows_rename(map->rows, SECOND, "value.count");
}
