/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of keys and values that well-known programs have. Sizes are not unique: a layout is only
 * believed when the entries of the map agree with it (input/raw_layout.h).
 */
#ifndef INPUT_KNOWN_LAYOUTS_H
#define INPUT_KNOWN_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/count_map.h"
#include "input/raw_layout.h"
#include "input/stack_index.h"

struct known_layout {
	const char *name;  /* whose it is */
	const char *key;   /* for layout_parse() */
	const char *value; /* NULL: a plain number */
};

/* Number I of all, NULL behind the last. */
const struct known_layout *known_layout_at(size_t i);
/*
 * How well the entries of MAP agree with LAYOUT: the number of stack IDs that name a stack of the
 * right side; 0: not at all. Every comm must be text, every pid in range, and half of the IDs of
 * each column must exist.
 */
size_t known_layout_score(const struct count_map *map, const struct stack_index *index,
	struct raw_layout *layout);

#endif
