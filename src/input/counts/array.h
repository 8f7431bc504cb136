/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays in dumps: all of their elements are there, also those that no program ever wrote, which are
 * zero. A dump does not say the type of its map, but the keys of an array are the numbers 0 to n-1,
 * each once, in order, and 4 bytes long.
 *
 * A hash in which just these keys happen to come in just this order is taken for an array too. Its
 * buckets are chosen by a seed of its own, so that has a chance of 1 to n!. Then what is left out is
 * what has a value of nothing but zeros: counts of 0, which are not printed anyway, or, with few
 * keys, the members of a set whose stack IDs are 0 to n-1, the first buckets of the stack map.
 */
#pragma once

#include "input/counts/map.h"

/*
 * If MAP, which was dumped to its end, is an array, leaves out the elements that are zero, on all CPUs
 * or on one. Where all are, the first one stays, and the map is marked as `empty`.
 */
void count_array_compact(struct count_map *map);
