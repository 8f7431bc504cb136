/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes unused elements of arrays. A dump of an array has all elements, and those never written
 * are zero. The dump does not give the type of its map, but the keys of an array are the numbers 0
 * to n-1, each once, in order, and 4 bytes long.
 *
 * A hash with exactly these keys in this order is mistaken for an array. Hashes are seeded, so the
 * probability is 1 in n!. Its entries with the value 0 are then removed: counts of 0, which are not
 * printed anyway, or, if there are few keys, members of a set whose stack IDs are 0 to n-1, the
 * first buckets of the stack map.
 */
#pragma once

#include "input/counts/map.h"

/*
 * Removes the zero elements of MAP, for each CPU, if it is an array. MAP must be dumped completely.
 * If all are zero, keeps the first one and marks the map as `empty`.
 */
void count_array_compact(struct count_map *map);
