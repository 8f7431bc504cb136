/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the entries of a live map: in batches if the kernel supports them for its type
 * (BPF_MAP_LOOKUP_BATCH, Linux 5.6 for hashes), otherwise one by one (stack maps).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/live/live_map.h"
#include "input/stacks/join.h"
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

/*
 * Looks up stacks in live maps: single ones, because those to which events refer may have been
 * added after the maps were read, and all of a full map.
 */

struct live_stacks {
	const struct live_maps *maps; /* only those of kind LIVE_STACKS are searched */
	uint8_t *value;		      /* owned; room for their largest value */
};

/* MAPS must outlive RET, whose value the caller frees. */
void live_stacks_init(const struct live_maps *maps, struct live_stacks *ret);
/* Implements find() of struct join_live. CONTEXT is a struct live_stacks. */
enum stack_found live_stacks_find(void *context, const struct address_halves *halves, uint32_t id,
	enum address_side side, struct arena *memory, struct stack *ret);

/*
 * Reads the stack map MAP with several threads, because the kernel returns stacks only one by one,
 * which takes most of the time of reading live maps. Does nothing if that is not worth it: unless
 * most IDs are in use, the map is not small, and there is a spare CPU. VALUE has room for a stack.
 * Passes the stacks to ENTRIES in the order of their IDs, in the calling thread. Sets LAST to the
 * ID of the last one, if any. Returns 0 or an errno.
 */
int live_walk(
	const struct live_map *map, struct live_entries *entries, uint8_t *value, uint32_t *last);
