/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts of the values that well-known programs keep beside stack IDs, for maps without BTF. */
#ifndef INPUT_KNOWN_VALUES_H
#define INPUT_KNOWN_VALUES_H

#include "input/count_map.h"
#include "input/layout.h"

struct known_value {
	const char *program;
	const char *text; /* for layout_parse() */
	bool has_id;	  /* it holds the stack ID itself, as memleak's does */
};

/*
 * The only one that fits all entries of MAP: sizes, and texts where it has texts. Only those with
 * a stack ID of their own if HAS_ID, only the others if not. NULL: none, or several.
 */
const struct known_value *known_value_find(const struct count_map *map, bool has_id);

#endif
