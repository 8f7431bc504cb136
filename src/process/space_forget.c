// SPDX-License-Identifier: GPL-2.0-or-later
/* During a stream, processes start and exit; those not in use are dropped. */
#include "process/space_forget.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/vec.h"
#include "util/sort.h"

enum { SPACES_MAX = 1 << 14, SPACE_BYTES_MAX = 256 << 20 };
/* recompute BYTES after so many new spaces, besides once a second */
enum { COUNT_AFTER = 1 << 8 };

static size_t space_bytes(const struct space *space)
{
	const struct mountinfo *mounts = space->mounts;

	return sizeof(*space) + sizeof(*mounts) + (space->jit ? jit_bytes(space->jit) : 0) +
	       space->maps.cap * sizeof(*space->maps.data) + space->strings.bytes +
	       mounts->mounts.cap * sizeof(*mounts->mounts.data) + mounts->strings.bytes +
	       space->threads->all.cap * sizeof(*space->threads->all.data);
}

static void count(struct space_cache *cache)
{
	cache->counted = cache->spaces.len;
	cache->bytes = 0;
	vec_each_value(space, &cache->spaces)
		cache->bytes += space_bytes(space);
}

bool space_cache_is_full(struct space_cache *cache)
{
	if (!cache->counted || cache->spaces.len - cache->counted >= COUNT_AFTER)
		count(cache);
	if (!cache->bytes_max)
		cache->bytes_max = SPACE_BYTES_MAX;
	return cache->spaces.len > SPACES_MAX || cache->bytes > cache->bytes_max;
}

/*
 * Sorts the spaces to be dropped first to the front: those without mappings, which are cheap to
 * read again, then the least recently used.
 */
COMPARE(compare_worth, struct space *,
	order_of((*a)->status == SPACE_READ, (*b)->status == SPACE_READ)
		?: order_of((*a)->last_use, (*b)->last_use))

void space_cache_forget(struct space_cache *cache)
{
	scope_guard(table_deinit) struct table records = {}; /* process records in use */
	size_t left = cache->spaces.len, kept = 0;

	cache->last = NULL;
	vec_sort(&cache->spaces, compare_worth);
	table_deinit(&cache->by_pid);
	vec_each_value(space, &cache->spaces) {
		size_t bytes = space_bytes(space);
		bool many = left > SPACES_MAX / 2 || cache->bytes > SPACE_BYTES_MAX / 2;

		if (many && space->last_use + 1 < cache->round) {
			left--;
			cache->bytes -= bytes < cache->bytes ? bytes : cache->bytes;
			space_destroy(space);
			continue;
		}
		if (space->jit)
			jit_tidy(space->jit);
		*space_index(cache, space->pid, space->record, space->known, NULL) = kept;
		cache->spaces.data[kept++] = space;
	}
	cache->spaces.len = kept;
	for (size_t i = 0; i < kept; i++) {
		const uint64_t record = (uintptr_t)cache->spaces.data[i]->record;

		(void)table_at(&records, &record, sizeof(record), NULL);
	}
	if (cache->recording)
		process_records_forget(cache->recording, &records);
	count(cache);
	/* keep everything that is in use, however large */
	cache->bytes_max = cache->bytes > SPACE_BYTES_MAX / 2 ? 2 * cache->bytes : SPACE_BYTES_MAX;
}
