/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a map that is nearly full. The kernel gives them only one by one, which takes most
 * of the time of reading live maps, so several threads ask.
 */
#pragma once

#include "input/live/entries.h"

/* Most IDs of the stack map MAP are in use, and there is a CPU to help. VALUE: room for a stack. */
bool live_walk_pays(const struct live_map *map, uint8_t *value);
/*
 * Gives the stacks of MAP to ENTRIES in the order of their IDs, in this thread; LAST becomes the ID
 * of the last one. 0, or errno.
 */
int live_walk(const struct live_map *map, struct live_entries *entries, uint32_t *last);
