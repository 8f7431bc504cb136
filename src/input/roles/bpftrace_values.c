// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/bpftrace_values.h"

#include <string.h>

#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/text.h"

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

/* Returns true if entry I exists, belongs to the key whose first entry is HEAD, and is not zero. */
static bool is_counted(const struct count_map *map, size_t i, size_t head)
{
	return i < map->entries.len && map->entries.data[i].head == head &&
	       !map->entries.data[i].zero;
}

/*
 * Returns true if some CPU has a total without a count. COUNT and TOTAL are the first entries of
 * the two keys; the entries of the other CPUs follow in order.
 */
static bool speaks_against(const struct count_map *map, size_t count, size_t total)
{
	for (size_t i = 0;
		total + i < map->entries.len && map->entries.data[total + i].head == total; i++)
		if (!map->entries.data[total + i].zero && !is_counted(map, count + i, count))
			return true;
	return false;
}

/*
 * bpftrace writes both rows at once, on the same CPU. Some may be incomplete, because maps are read
 * while they are written. If half of them or more are, the number is something else, e.g. a CPU.
 */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map)
{
	scope_guard(table_deinit) struct table heads = {}; /* key → index of its first entry, + 1 */
	scope_guard(text_deinit) struct text other = {};
	size_t len = map->entries.len ? map->entries.data[0].key_len : 0, n = 0, against = 0;

	if (!has_rows(map))
		return BPFTRACE_NO_ROWS;
	for (size_t i = 0; i < map->entries.len; i++)
		if (map->entries.data[i].head == i)
			*table_at(&heads, count_map_key(map, i), len, NULL) = i + 1;
	for (size_t i = 0; i < map->entries.len; i++) {
		uint64_t row = row_of(map, i), other_row = !row;

		if (map->entries.data[i].head != i)
			continue;
		text_clear(&other);
		text_add(&other, (const char *)count_map_key(map, i), len - ROW_SIZE);
		text_add(&other, (const char *)&other_row, ROW_SIZE);
		const uint64_t *found = table_find(&heads, other.data, len);
		if (found && !row) /* checked together with its total */
			continue;
		n++;
		against += !found || speaks_against(map, *found - 1, i);
	}
	return 2 * against < n ? BPFTRACE_ROWS : BPFTRACE_MAYBE_ROWS;
}

static bool has_row(const struct count_map *map, size_t i, uint64_t wanted)
{
	return row_of(map, i) == wanted;
}

void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part)
{
	count_map_filter(map, has_row, part == BPFTRACE_PART_TOTAL);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Returns true if the value of ROW consists of the numbers FIRST and SECOND only. */
static bool is_pair(const struct row *row, const struct field *first, const struct field *second)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n; i++)
		n += field_in_value(&row->fields[i]);
	return n == 2 && first && second && first->kind == FIELD_NUMBER &&
	       second->kind == FIELD_NUMBER;
}

enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map)
{
	bool counted = false;

	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row row = count_map_row(map, i);
		const struct field *first = row_field(&row, FIRST),
				   *second = row_field(&row, SECOND);

		if (!map->per_cpu || !is_pair(&row, first, second) ||
			(!second->number && first->number) || second->number > INT64_MAX)
			return BPFTRACE_NO_PAIRS;
		counted |= second->number > 1;
	}
	return counted ? BPFTRACE_PAIRS_COUNTED : BPFTRACE_PAIRS;
}

void bpftrace_pairs_name(struct count_map *map)
{
	packed_rows_rename(map->rows, FIRST, "value.total");
	packed_rows_rename(map->rows, SECOND, "value.count");
}
