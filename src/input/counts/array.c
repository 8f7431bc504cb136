// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/array.h"

#include <string.h>

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

void count_array_compact(struct count_map *map)
{
	if (!is_array(map))
		return;
	count_map_filter(map, is_set, 0);
	map->empty = !map->entries.len;
	map->entries.len += map->empty;
}
