/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes values that are an unnamed array of numbers, as in a map of u64[8] with BTF. Such
 * arrays are the slots of a histogram or the like, and are added up. All entries of the map decide
 * what the arrays are:
 *
 *	- bytes or text, if their elements are known to have one byte
 *	- stacks, if all that are not zero look like stacks, and no field of the key has the name of
 *	  a stack
 *	- numbers, if their elements are known to be wider, or one is too large for a byte
 *	- unclear, if all elements are small and a text dump does not say how wide they are
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "input/row.h"

/* Turns arrays of numbers in MAP, which must be complete, into their sums. */
void value_array_settle(struct count_map *map);
/* Returns true if the values of MAP are arrays, and it is unclear whether they are numbers. */
bool value_array_unclear(const struct count_map *map);
