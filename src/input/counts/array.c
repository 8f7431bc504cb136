// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/array.h"

#include <string.h>

/* The key of entry I as a u32: 4 raw bytes, or a number that is all of the key. */
static bool index_of(const struct count_map *map, size_t i, uint64_t *ret)
{
	const struct count_entry *entry = &map->entries.data[i];
	const struct row row = count_map_row(map, i);
	uint32_t number;

	if (!row.n) {
		if (entry->key_len != sizeof(number))
			return false;
		memcpy(&number, count_map_key(map, i), sizeof(number));
		*ret = number;
		return true;
	}
	for (size_t j = 1; j < row.n; j++)
		if (field_in_key(&row.fields[j]))
			return false;
	*ret = row.fields[0].number;
	return !strcmp(row.fields[0].name, "key") && row.fields[0].kind == FIELD_NUMBER;
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

void count_array_compact(struct count_map *map)
{
	struct count_entry *entries = map->entries.data;
	size_t kept = 0, head = SIZE_MAX, old_head = SIZE_MAX;

	if (!is_array(map))
		return;
	for (size_t i = 0; i < map->entries.len; i++) {
		if (entries[i].zero)
			continue;
		if (entries[i].head != old_head) {
			old_head = entries[i].head;
			head = kept;
		}
		entries[kept] = entries[i];
		entries[kept++].head = head;
	}
	map->empty = !kept;
	map->entries.len = kept ? kept : 1;
}
