/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deleting stacks that were read (--clear), but none that a count may still name: the BPF program
 * runs on while its maps are read, and the next stack in a bucket that was emptied too early would
 * answer for the one before it.
 */
#pragma once

#include <stdint.h>

#include "input/live/map.h"
#include "util/error.h"
#include "util/vec.h"

/* A stack that was read. */
struct live_cleared {
	const struct live_map *map;
	uint32_t id;
};

/* Zero-filled is empty. */
struct live_clear {
	struct VEC(struct live_cleared) stacks;
};

void live_clear_deinit(struct live_clear *clear);
/* KEY is that of an entry of the stack map MAP, which must outlive CLEAR. */
void live_clear_note(struct live_clear *clear, const struct live_map *map, const uint8_t *key);
/*
 * Deletes what was noted from its maps, but for the IDs that stand anywhere in the entries that
 * the count maps among MAPS (no queues) have now; KEPT_RET says how many these are.
 */
struct error *live_clear_stacks(const struct live_clear *clear, const struct live_maps *maps,
	uint64_t *kept_ret) must_check;
