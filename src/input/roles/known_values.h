/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts of the values that well-known programs keep beside stack IDs, for maps without BTF. */
#pragma once

#include "input/counts/map.h"
#include "input/roles/layout.h"

struct known_value {
	const char *program;
	const char *text; /* layout, for layout_given() */
	size_t key_len;	  /* key size in the same map, in bytes; 0: any */
	bool has_id;	  /* the value contains the stack ID, as in memleak */
};

/*
 * Returns the first known value that fits all entries of MAP, which is not empty, or NULL. The size
 * must match, text fields must be text, and the bytes after the last field must be zero. HAS_ID
 * selects values that contain a stack ID, or those that do not. RET must be zero-filled; it becomes
 * the layout, with the elements and sums that KEY_FIELDS (see layout_given()) names.
 */
const struct known_value *known_value_find(
	const struct count_map *map, bool has_id, const char *key_fields, struct layout *ret);

/*
 * Returns true if the values may be plain numbers or memleak's union combined_alloc_info
 * (libbpf-tools/memleak.h): the total size of allocations, in bytes, in the lower 40 bits, and
 * their number above. Sets RET_LARGE if such a total is 4 GiB or more.
 */
bool known_packed_sums(const struct count_map *map, bool *ret_large);

/*
 * Returns true if the values, of 8 bytes, are rather two numbers of 4 bytes: the lower halves of
 * values above 32 bits are so small that chance explains it only once in a thousand times. Sets
 * RET_COUNT_FIRST if the largest first number exceeds the largest second one.
 */
bool known_halves(const struct count_map *map, bool *ret_count_first);
