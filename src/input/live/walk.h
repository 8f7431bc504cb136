/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the stacks of a mostly full stack map with several threads, because the kernel returns them
 * only one by one, which takes most of the time of reading live maps.
 */
#pragma once

#include "input/live/entries.h"

/*
 * Returns true if several threads are worth it: most IDs of the stack map MAP are in use, it is not
 * small, and there is a spare CPU. VALUE has room for a stack.
 */
bool live_walk_pays(const struct live_map *map, uint8_t *value);
/*
 * Passes the stacks of MAP to ENTRIES in the order of their IDs, in the calling thread. Sets LAST
 * to the ID of the last one, if any. Returns 0 or an errno.
 */
int live_walk(const struct live_map *map, struct live_entries *entries, uint32_t *last);
