/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts of the values that well-known programs keep beside stack IDs, for maps without BTF. */
#pragma once

#include "input/counts/map.h"
#include "input/roles/layout.h"

struct known_value {
	const char *program;
	const char *text; /* for layout_given() */
	size_t key_len;	  /* bytes of the keys beside it; 0: any */
	bool has_id;	  /* it holds the stack ID itself, as memleak's does */
};

/*
 * The one that fits all entries of MAP, which has some: sizes, texts where it has texts, zeros after
 * its end. Only those with a stack ID of their own if HAS_ID, only the others if not. RET is
 * zero-filled and becomes its layout, with what KEY_FIELDS (layout_given()) names. NULL: none fits.
 */
const struct known_value *known_value_find(
	const struct count_map *map, bool has_id, const char *key_fields, struct layout *ret);

/*
 * Whether each value may be memleak's union combined_alloc_info (libbpf-tools/memleak.h) as well as a plain
 * number: the bytes of all allocations in the lower 40 bits, their number above. RET_LARGE: some have 4 GiB or more.
 */
bool known_packed_sums(const struct count_map *map, bool *ret_large);

/*
 * Whether the values, of 8 bytes, are two numbers rather than one: where the upper halves are not 0, the lower ones
 * are so small as they would be once in a thousand times. RET_COUNT_FIRST: the lower ones are the
 * larger ones.
 */
bool known_halves(const struct count_map *map, bool *ret_count_first);
