/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determines what the values of a map are from the content of all entries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/count_map.h"
#include "input/roles/layout.h"

/*
 * Recognizes the per-CPU values of bpftrace's avg(), stats(), min() and max() by the content of all
 * entries. The formats were observed in maps of these versions:
 *
 *	0.17, without BTF	avg, stats: two entries per key, called rows here. The key ends in a
 *				u64: 0 for the count, 1 for the total. A bucket of hist or lhist, or
 *				a number of the key, may also be 0 or 1.
 *	0.27, with BTF		avg, stats: {total, count}; min, max: {value, is_set}. The members
 *				are unnamed; here they are called value.0 and value.1.
 */

/* part of a value of avg() or stats() */
enum bpftrace_part {
	BPFTRACE_PART_NONE,
	BPFTRACE_PART_COUNT,
	BPFTRACE_PART_TOTAL,
};

/* Returns the part that FIELD of --key=weight=FIELD names. FIELD may be NULL. */
enum bpftrace_part bpftrace_part_named(const char *field);

enum bpftrace_rows {
	BPFTRACE_NO_ROWS,    /* the entries are something else */
	BPFTRACE_MAYBE_ROWS, /* all keys end in 0 or 1, but many have no counterpart */
	BPFTRACE_ROWS,	     /* all keys end in 0 or 1, and most have their counterpart */
};

/* Decides whether the raw entries of MAP are rows of avg() or stats(). */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map);
/* Removes the rows other than PART. */
void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part);

enum bpftrace_pairs {
	BPFTRACE_NO_PAIRS,
	BPFTRACE_PAIRS,		/* any of avg, stats, min and max */
	BPFTRACE_PAIRS_COUNTED, /* avg or stats, because some second number exceeds 1 */
};

/* Decides whether the values of MAP's formatted entries are pairs of value.0 and value.1. */
enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map);
/* Renames the members of avg() and stats() to value.total and value.count. */
void bpftrace_pairs_name(struct count_map *map);

/* the value that a well-known program keeps beside stack IDs, for maps without BTF */
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
 * Turns unnamed arrays of numbers that are the whole value, as in a map of u64[8] with BTF, into
 * their sums: they are the slots of a histogram or the like. MAP must be complete, because all
 * entries decide what the arrays are:
 *
 *	- bytes or text, if their elements are known to have one byte
 *	- stacks, if all that are not zero look like stacks, and no field of the key has the name of
 *	  a stack; unclear, if only some do
 *	- numbers, if their elements are known to be wider, or one is too large for a byte
 *	- unclear, if all elements are small and a text dump does not say how wide they are
 */
void value_array_settle(struct count_map *map);
/*
 * Returns why it is unclear whether the values of MAP, which are arrays, are numbers; or NULL.
 * CHOICE_RET receives the option that makes them numbers, or NULL.
 */
const char *value_array_doubt(const struct count_map *map, const char **choice_ret);
