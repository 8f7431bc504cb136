/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a map can be read for stacks, as its first entries show: for the list of maps, which
 * reads no map as a whole.
 */
#pragma once

#include "input/live/map.h"

/*
 * Returns false if MAP, of LIVE_COUNTS, has entries, the first of which hold no stacks, and no
 * numbers that are IDs in the N stack maps STACKS.
 */
bool live_probe(const struct live_map *map, const struct live_map *const *stacks, size_t n);
