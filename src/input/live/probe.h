/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses from its first entries whether a map contains stacks: for --list-maps, which reads no map
 * completely.
 */
#pragma once

#include "input/live/map.h"

/*
 * Returns false if MAP (LIVE_COUNTS) has entries, and the first ones contain neither stacks nor IDs
 * of stacks in the N stack maps STACKS.
 */
bool live_probe(const struct live_map *map, const struct live_map *const *stacks, size_t n);
