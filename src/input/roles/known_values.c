// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/known_values.h"

#include <string.h>

#include "input/roles/id_column.h"
#include "input/roles/raw_columns.h"
#include "util/cleanup.h"

#define ALLOCATION_MAX (1ULL << 36) /* largest plausible average of allocations, in bytes */

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
	for (size_t i = 0; i < map->entries.len; i++) {
		size_t len = map->entries.data[i].value_len;
		const uint8_t *value = count_map_value(map, i);

		if (!layout_fits(layout, len) || !ends_clean(layout, value, len))
			return false;
		for (size_t j = 0; j < layout->fields.len; j++) {
			const struct layout_field *field = &layout->fields.data[j];

			if (field->kind == FIELD_TEXT &&
				raw_text_length(value + field->offset, field->size) == SIZE_MAX)
				return false;
		}
	}
	return true;
}

const struct known_value *known_value_find(
	const struct count_map *map, bool has_id, const char *key_fields, struct layout *ret)
{
	size_t key_len = map->entries.data[0].key_len;

	for (size_t i = 0; i < array_len(known); i++) {
		const struct known_value *value = &known[i];

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

bool known_packed_sums(const struct count_map *map, bool *ret_large)
{
	bool any = false;

	*ret_large = false;
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct count_entry *entry = &map->entries.data[i];
		uint64_t word;

		if (entry->cpu >= 0 || entry->key_len != 8 || entry->value_len != sizeof(word))
			return false;
		memcpy(&word, count_map_value(map, i), sizeof(word));
		uint64_t allocations = word >> 40, bytes = word & ((1ULL << 40) - 1);
		if (word && (!allocations || bytes / allocations > ALLOCATION_MAX))
			return false;
		*ret_large |= bytes > UINT32_MAX;
		any |= word;
	}
	return any;
}

bool known_halves(const struct count_map *map, bool *ret_count_first)
{
	uint32_t max[2] = {};
	double chance = 1;
	size_t n = 0;

	for (size_t i = 0; i < map->entries.len; i++) {
		uint32_t halves[2];

		if (map->entries.data[i].value_len != sizeof(halves))
			return false;
		memcpy(halves, count_map_value(map, i), sizeof(halves));
		if (!halves[1] ||
			(halves[1] == UINT32_MAX && halves[0] >> 31)) /* fits in 32 bits */
			continue;
		n++;
		for (int j = 0; j < 2; j++)
			max[j] = halves[j] > max[j] ? halves[j] : max[j];
	}
	for (size_t i = 0; i < n && chance >= ID_CHANCE_MAX; i++)
		chance *= (max[0] + 1.0) / UINT32_MAX;
	*ret_count_first = max[0] > max[1];
	return chance < ID_CHANCE_MAX;
}
