/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#pragma once

#include "input/counts/map.h"

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
