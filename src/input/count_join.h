/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins all entries of a held map, or rows of a table, with the stack maps. */
#ifndef INPUT_COUNT_JOIN_H
#define INPUT_COUNT_JOIN_H

#include <stdbool.h>

#include "input/count_map.h"
#include "input/join.h"
#include "input/raw_layout.h"
#include "input/roles.h"
#include "util/error.h"

struct count_join {
	struct count_map *map; /* not owned */
	struct raw_layout layout;
	struct role_memo memo;
	struct join_preference preference;
	bool usable;   /* it says which stacks are meant */
	bool weighted; /* it says how often */
};

/*
 * Looks at all entries of MAP: their layout, the meaning of their fields, and the stack maps their
 * IDs are from. All stack maps must be known. What is wrong goes to the log. RET is zero-filled and
 * must not be moved; count_join_deinit() in any case.
 */
void count_join_prepare(struct join *join, struct count_map *map, struct count_join *ret);
void count_join_deinit(struct count_join *counts);
/* Gives the samples to the batch, if usable. */
struct error *count_join_emit(struct join *join, struct count_join *counts) must_check;

#endif
