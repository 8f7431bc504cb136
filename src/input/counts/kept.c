// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/kept.h"

#include <stdlib.h>
#include <string.h>

void count_batch_deinit(struct count_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		count_map_destroy(batch->joins[i].map);
		count_join_deinit(&batch->joins[i]);
	}
	free(batch->joins);
}

void count_kept_deinit(struct count_kept *kept)
{
	for (size_t i = 0; i < kept->batches.len; i++)
		count_batch_deinit(&kept->batches.data[i]);
	vec_deinit(&kept->batches);
}

static bool was_given(const struct count_join *counts)
{
	return counts->status == COUNTS_USABLE && !counts->left_out && !counts->map->empty;
}

struct count_join *count_kept_find(const struct count_kept *kept, const char *name)
{
	for (size_t i = 0; i < kept->batches.len; i++) {
		const struct count_batch *batch = &kept->batches.data[i];

		for (size_t j = 0; j < batch->n; j++)
			if (was_given(&batch->joins[j]) && !strcmp(batch->joins[j].map->name, name))
				return &batch->joins[j];
	}
	return NULL;
}

struct error *count_kept_emit(
	struct join *join, struct count_join *counts, const struct map_entry *entries, size_t n)
{
	struct count_map *map = counts->map;

	count_map_clear(map);
	map->peeked = false;
	for (size_t i = 0; i < n; i++)
		count_map_add(map, &entries[i]);
	return n ? count_join_emit(join, counts) : NULL;
}
