/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that are an array of numbers and have no name, as a map of u64[8] has them by its BTF: the
 *slots of a histogram, or the like, which add up. What the array is shows when all entries of the
 *map are there:
 *
 *	- bytes, or a text: its elements are known to be of one byte
 *	- a stack: each that is not empty looks like one, and no field of the key is called like a
 *stack
 *	- numbers: its elements are known to be wider, or one is too large for a byte
 *	- not to be told: text dumps do not say how wide elements are that are all small
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "input/row.h"

/* Makes such arrays of MAP, which is complete, numbers. */
void value_array_settle(struct count_map *map);
/* Whether the values of MAP are arrays of which nothing tells whether they are numbers. */
bool value_array_unclear(const struct count_map *map);
