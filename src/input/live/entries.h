/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the entries of a live map: in batches if the kernel supports them for its type
 * (BPF_MAP_LOOKUP_BATCH, Linux 5.6 for hashes), otherwise one by one (stack maps).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/live/map.h"
#include "util/error.h"

struct live_entries {
	/*
	 * Receives an entry: a key of key_size bytes, and a value for each of the map's n_cpus. The
	 * same key may come more than once if the map changes meanwhile. KEY is NULL for queues and
	 * stacks.
	 */
	void (*entry)(void *context, const uint8_t *key, const uint8_t *value);
	void *context;
	bool distinct; /* no key comes twice even if the map changes; set before the first entry */
	uint64_t vanished; /* number of entries that were deleted before their value was read */
};

/* Returns true if ERRNUM means that the kernel does not support the call for this map type. */
bool live_not_supported(int errnum);
/*
 * Reads all entries of MAP, except all-zero elements of arrays. If MAP is a queue or stack, reads
 * only the next entry, and does not remove it. The error says what the kernel refused.
 */
struct error *live_entries_read(
	const struct live_map *map, struct live_entries *entries) must_check;
