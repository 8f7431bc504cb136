// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/values.h"

#include <string.h>

#include "input/roles/raw_columns.h"
#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/table.h"
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

/* ---- rows of bpftrace ----------------------------------------------------------------------- */

static uint64_t row_of(const struct count_map *map, size_t i)
{
	return load_u64(count_map_key(map, i) + map->entries.data[i].key_len - ROW_SIZE);
}

/*
 * Returns true if some CPU has a total without a count. COUNT and TOTAL are the first entries of
 * the two keys; the entries of the other CPUs follow in order.
 */
static bool speaks_against(const struct count_map *map, size_t count, size_t total)
{
	const struct count_entry *all = map->entries.data;

	for (size_t i = 0; total + i < map->entries.len && all[total + i].head == total; i++)
		if (!all[total + i].zero &&
			(count + i >= map->entries.len || all[count + i].head != count ||
				all[count + i].zero))
			return true;
	return false;
}

/*
 * bpftrace writes both rows at once, on the same CPU. Some may be incomplete, because maps are read
 * while they are written. If half of them or more are, the number is something else, e.g. a CPU.
 */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map)
{
	/* key without row → index of its first entry with a count, or a total, + 1 */
	scope_guard(table_deinit) struct table counts = {}, totals = {};
	struct table *const of_row[] = {&counts, &totals};
	size_t n = 0, against = 0, key_len = map->entries.len ? map->entries.data[0].key_len : 0;

	if (!map->per_cpu || key_len < 2 * ROW_SIZE || key_len % ROW_SIZE)
		return BPFTRACE_NO_ROWS;
	count_each(i, map) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->key_len != key_len || entry->value_len != sizeof(uint64_t) ||
			row_of(map, i) > 1)
			return BPFTRACE_NO_ROWS;
	}
	size_t len = key_len - ROW_SIZE;
	count_key_each(i, map)
		*table_at(of_row[row_of(map, i)], count_map_key(map, i), len, NULL) = i + 1;
	count_key_each(i, map) {
		uint64_t row = row_of(map, i);
		const uint64_t *other = table_find(of_row[!row], count_map_key(map, i), len);

		if (other && !row) /* a count is checked together with its total */
			continue;
		n++;
		against += !other || speaks_against(map, *other - 1, i);
	}
	return 2 * against < n ? BPFTRACE_ROWS : BPFTRACE_MAYBE_ROWS;
}

void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part)
{
	count_each(i, map)
		map->entries.data[i].removed = row_of(map, i) != (part == BPFTRACE_PART_TOTAL);
	count_map_filter(map);
}

/* ---- pairs of bpftrace ---------------------------------------------------------------------- */

enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map)
{
	bool counted = false;

	count_each(i, map) {
		const struct row row = count_map_row(map, i);
		const struct field *first = row_field(&row, FIRST),
				   *second = row_field(&row, SECOND);
		size_t n = 0;

		row_each(field, &row)
			n += field_in_value(field);
		if (!map->per_cpu || n != 2 || !first || !second || first->kind != FIELD_NUMBER ||
			second->kind != FIELD_NUMBER || (!second->number && first->number) ||
			second->number > INT64_MAX)
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

/* ---- known programs ------------------------------------------------------------------------- */

/* Entries with the same HAS_ID must differ in size, because the first one that fits is taken. */
static const struct known_value known[] = {
	{"libbpf-tools offcputime", "u64 delta; char comm[16]", 0, false},
	{"libbpf-tools futexctn",
		"u32 slots[36]; char comm[16]; u64 contended; u64 total_elapsed; u64 min; u64 max",
		0, false},
	{"libbpf-tools memleak", "u64 size; u64 timestamp; s32 stack_id", 8, true},
};

/* Returns true if LAYOUT fits the sizes and texts of all entries, and only zeros follow it. */
static bool layout_agrees(const struct layout *layout, const struct count_map *map)
{
	count_each(i, map) {
		size_t len = map->entries.data[i].value_len;
		const uint8_t *value = count_map_value(map, i);

		if (!layout_fits(layout, len) ||
			!scan_is_zero(value + layout->packed, len - layout->packed))
			return false;
		vec_each(field, &layout->fields)
			if (field->kind == FIELD_TEXT &&
				raw_text_length(value + field->offset, field->size) == SIZE_MAX)
				return false;
	}
	return true;
}

const struct known_value *known_value_find(
	const struct count_map *map, bool has_id, const char *key_fields, struct layout *ret)
{
	size_t key_len = map->entries.data[0].key_len;

	array_each(value, known, array_len(known)) {
		if (value->has_id != has_id || (value->key_len && value->key_len != key_len))
			continue;
		/* cannot fail: the layouts are constants that parse */
		error_destroy(layout_given(value->text, "layout", "value.", key_fields, ret));
		if (layout_agrees(ret, map))
			return value;
		layout_deinit(ret);
		*ret = (struct layout){};
	}
	return NULL;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* properties of the arrays of all entries */
struct array_shape {
	bool wide, small;    /* some have elements wider than a byte; some have bytes */
	bool stack, numbers; /* some look like stacks; some do not, and are not zero */
};

/*
 * Examines the values of MAP. Returns false if there are none, or if some are anything but an
 * unnamed array of numbers.
 */
static bool look_at(const struct count_map *map, struct array_shape *ret)
{
	*ret = (struct array_shape){};
	count_each(i, map) {
		const struct row row = count_map_row(map, i);
		const struct field *field = NULL;
		size_t n = 0;

		row_each(other, &row) {
			if (!field_in_value(other))
				continue;
			field = other;
			n++;
		}
		if (n != 1 || !field->is_sum)
			return false;
		/* an element is too large for a byte: other arrays are FIELD_BYTES, or all zero */
		bool large = (field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS) &&
			     !scan_is_zero(field->bytes, field->len);
		bool stack = large && field_looks_like_stack(field);

		ret->wide |= large || field->width > 1;
		ret->small |= field->width == 1;
		ret->stack |= stack;
		ret->numbers |= large && !stack;
	}
	return map->entries.len > 0;
}

void value_array_settle(struct count_map *map)
{
	struct array_shape look;

	if (map->is_rows || !look_at(map, &look) || !look.wide)
		return;
	const struct row first = count_map_row(map, 0);
	map->rows->sums_arrays = !look.stack;
	row_each(field, &first)
		map->rows->sums_arrays |=
			strcmp(field->name, "key") &&
			role_is_stack(role_of_name(scan_of(field_last_name(field))));
}

const char *value_array_doubt(const struct count_map *map, const char **choice_ret)
{
	struct array_shape look;

	*choice_ret = NULL;
	if (map->is_rows || map->rows->sums_arrays || !look_at(map, &look))
		return NULL;
	if (look.stack && look.numbers)
		return "some of its values look like stacks, and others do not";
	if (look.wide || look.small)
		return NULL;
	*choice_ret = "--key=weight=value (the numbers of each array add up)";
	return "its values are unnamed arrays of small numbers, and a text dump does not show "
	       "whether they are counts (`bpftool -j` does)";
}
