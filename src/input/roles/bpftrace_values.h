/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What avg(), stats(), min() and max() of bpftrace keep, on each CPU, which is told by what all
 * entries hold.
 *
 *	0.17, without BTF	avg, stats: two entries; after the key stands a u64, 0 for the
 *count, 1 for the total. hist and lhist have their bucket there, which may be 0 or 1 as well, and
 *so may a number of the key.
 *	0.27, with BTF		avg, stats: {total, count}; min, max: {value, is_set}. No member has
 *a name: they are called value.0 and value.1.
 *
 * Both are as seen in the maps of these versions.
 */
#pragma once

#include "input/counts/map.h"

/* Which of the two numbers is asked for. */
enum bpftrace_part {
	BPFTRACE_PART_NONE,
	BPFTRACE_PART_COUNT,
	BPFTRACE_PART_TOTAL,
};

/* What a field that --key=weight= names is; NULL: none was named. */
enum bpftrace_part bpftrace_part_named(const char *field);

enum bpftrace_rows {
	BPFTRACE_NO_ROWS,    /* they are something else */
	BPFTRACE_MAYBE_ROWS, /* the keys end in 0 or 1, but other entries would be expected */
	BPFTRACE_ROWS,	     /* nothing speaks against it */
};

/* MAP is of raw entries. */
enum bpftrace_rows bpftrace_rows_look(const struct count_map *map);
/* Removes the entries that are not PART. */
void bpftrace_rows_keep(struct count_map *map, enum bpftrace_part part);

enum bpftrace_pairs {
	BPFTRACE_NO_PAIRS,
	BPFTRACE_PAIRS,		/* one of avg, stats, min and max */
	BPFTRACE_PAIRS_COUNTED, /* avg or stats: a second number is neither 0 nor 1 */
};

/* MAP is of formatted entries. */
enum bpftrace_pairs bpftrace_pairs_look(const struct count_map *map);
/* Gives avg's and stats' members their names: value.total and value.count. */
void bpftrace_pairs_name(struct count_map *map);
