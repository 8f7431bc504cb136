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
#define ALLOCATION_MAX (1ULL << 36) /* largest plausible average of allocations, in bytes */
#define ALLOCATIONS_MASK ((1ULL << 40) - 1)

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

static bool has_rows(const struct count_map *map)
{
	size_t len = map->entries.len ? map->entries.data[0].key_len : 0;

	if (!map->per_cpu || len < 2 * ROW_SIZE || len % ROW_SIZE)
		return false;
	count_each(i, map) {
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
	/* key without row → index of its first entry with a count, or a total, + 1 */
	scope_guard(table_deinit) struct table counts = {}, totals = {};
	struct table *const of_row[] = {&counts, &totals};
	size_t n = 0, against = 0;

	if (!has_rows(map))
		return BPFTRACE_NO_ROWS;
	size_t len = map->entries.data[0].key_len - ROW_SIZE;
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

static bool has_row(const struct count_map *map, size_t i, uint64_t wanted)
{
	return row_of(map, i) == wanted;
}

void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part)
{
	count_map_filter(map, has_row, part == BPFTRACE_PART_TOTAL);
}

/* ---- pairs of bpftrace ---------------------------------------------------------------------- */

/* Returns true if the value of ROW consists of the numbers FIRST and SECOND only. */
static bool is_pair(const struct row *row, const struct field *first, const struct field *second)
{
	size_t n = 0;

	row_each(field, row)
		n += field_in_value(field);
	return n == 2 && first && second && first->kind == FIELD_NUMBER &&
	       second->kind == FIELD_NUMBER;
}

enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map)
{
	bool counted = false;

	count_each(i, map) {
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

/* ---- known programs ------------------------------------------------------------------------- */

/* Entries with the same HAS_ID must differ in size, because the first one that fits is taken. */
static const struct known_value known[] = {
	{"libbpf-tools offcputime", "u64 delta; char comm[16]", 0, false},
	{"libbpf-tools futexctn",
		"u32 slots[36]; char comm[16]; u64 contended; u64 total_elapsed; u64 min; u64 max",
		0, false},
	{"libbpf-tools memleak", "u64 size; u64 timestamp; s32 stack_id", 8, true},
};

/* Returns true if all bytes after the last field are zero. */
static bool ends_clean(const struct layout *layout, const uint8_t *value, size_t len)
{
	for (size_t i = layout->packed; i < len; i++)
		if (value[i])
			return false;
	return true;
}

/* Returns true if LAYOUT fits the sizes and texts of all entries. */
static bool layout_agrees(const struct layout *layout, const struct count_map *map)
{
	count_each(i, map) {
		size_t len = map->entries.data[i].value_len;
		const uint8_t *value = count_map_value(map, i);

		if (!layout_fits(layout, len) || !ends_clean(layout, value, len))
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

/* ---- plain numbers -------------------------------------------------------------------------- */

/* Returns true if WORD may be of union combined_alloc_info. */
static bool may_be_allocations(const struct count_entry *entry, uint64_t word)
{
	uint64_t allocations = word >> 40, bytes = word & ALLOCATIONS_MASK;

	return entry->cpu < 0 && entry->key_len == 8 &&
	       (!word || (allocations && bytes / allocations <= ALLOCATION_MAX));
}

enum number_doubt number_doubt_find(const struct count_map *map)
{
	bool allocations = true, any = false, large = false;
	uint32_t max_first = 0, max_second = 0;
	double chance = 1;
	size_t n = 0;

	count_each(i, map) {
		if (map->entries.data[i].value_len != 8)
			return NUMBER_PLAIN;
		const uint8_t *value = count_map_value(map, i);
		uint64_t word = load_u64(value);
		uint32_t first = load_u32(value), second = load_u32(value + 4);
		allocations &= may_be_allocations(&map->entries.data[i], word);
		large |= (word & ALLOCATIONS_MASK) > UINT32_MAX;
		any |= word != 0;
		if (!second || (second == UINT32_MAX && first >> 31)) /* fits in 32 bits */
			continue;
		n++;
		max_first = first > max_first ? first : max_first;
		max_second = second > max_second ? second : max_second;
	}
	if (allocations && any)
		return large ? NUMBER_LARGE_ALLOCATIONS : NUMBER_ALLOCATIONS;
	while (n-- && chance >= ID_CHANCE_MAX)
		chance *= (max_first + 1.0) / UINT32_MAX;
	if (chance >= ID_CHANCE_MAX)
		return NUMBER_PLAIN;
	return max_first > max_second ? NUMBER_LARGER_FIRST : NUMBER_LARGER_SECOND;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* Returns the value of ROW if it is an unnamed array of numbers, or NULL. */
static const struct field *array_of(const struct row *row)
{
	const struct field *found = NULL;

	row_each(field, row) {
		if (!field_in_value(field))
			continue;
		if (found || !field->is_sum)
			return NULL;
		found = field;
	}
	return found;
}

/*
 * Returns true if an element is too large for a byte. Other arrays are FIELD_BYTES, or all zero.
 */
static bool is_large(const struct field *field)
{
	return (field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS) &&
	       !scan_is_zero(field->bytes, field->len);
}

static bool names_stack(const struct row *row)
{
	row_each(field, row)
		if (strcmp(field->name, "key") &&
			role_is_stack(role_of_name(scan_of(field_last_name(field)))))
			return true;
	return false;
}

/* properties of the arrays of all entries */
struct array_shape {
	bool wide, small;    /* some have elements wider than a byte; some have bytes */
	bool stack, numbers; /* some look like stacks; some do not, and are not zero */
};

/* Examines the values of MAP. Returns false if there are none, or if some are no such arrays. */
static bool look_at(const struct count_map *map, struct array_shape *ret)
{
	*ret = (struct array_shape){};
	count_each(i, map) {
		const struct row row = count_map_row(map, i);
		const struct field *field = array_of(&row);

		if (!field)
			return false;
		bool large = is_large(field), stack = large && field_looks_like_stack(field);

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
	map->rows->sums_arrays = !look.stack || names_stack(&first);
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
