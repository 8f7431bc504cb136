/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins all entries of a held map, or rows of a table, with the stack maps. */
#pragma once

#include <stdbool.h>

#include "input/counts/map.h"
#include "input/roles/raw_reading.h"
#include "input/roles/roles.h"
#include "input/stacks/join.h"
#include "util/error.h"
#include "util/vec.h"

enum count_status {
	COUNTS_UNREAD,	/* there is no stack map, or a given layout does not fit */
	COUNTS_NO_IDS,	/* nothing in it says which stacks are meant */
	COUNTS_REFUSED, /* several readings fit */
	COUNTS_USABLE,
};

struct count_join {
	struct count_map *map;	    /* not owned */
	struct raw_reading reading; /* of raw parts */
	bool mixed; /* a part of formatted entries is read from its bytes, as a given layout says */
	struct VEC(struct field) fields; /* of the mixed entry read last */
	struct role_memo memo;
	struct role_overrides found; /* --key, and what content added to it; empty: --key alone */
	struct join_preference preference;
	bool is_set; /* its values are all 0, and say nothing: each entry counts 1 */
	struct roles set_roles;
	struct missing missing;
	enum count_status status;
	bool keyed;		 /* the stacks are named by the key, not by the value */
	bool weighted;		 /* it says how often */
	bool pids_are_threads;	 /* struct join says what that is */
	char *why;		 /* why it is refused, or left out; NULL: it is used */
	bool left_out;		 /* other maps are the counts */
	struct join_tally tally; /* where an explanation is asked for */
};

/*
 * Looks at all entries of MAP: what they hold, the meaning of their fields, and the stack maps
 * their IDs are from. All stack maps must be known. RET is zero-filled and must not be moved;
 * count_join_deinit() in any case.
 */
void count_join_prepare(struct join *join, struct count_map *map, struct count_join *ret);
/*
 * Finds by content which fields of BTF COUNTS names the stacks with, if their names do not say so. To be called
 * where no map has counts otherwise.
 */
void count_join_search(struct join *join, struct count_join *counts);
void count_join_deinit(struct count_join *counts);
/* The row of entry I; false if its raw bytes have no layout or another size. */
bool count_join_row(struct count_join *counts, size_t i, struct row *ret);
/* What the fields of ROW, one of COUNTS, mean; good until the next call. */
const struct roles *count_join_roles(
	struct join *join, struct count_join *counts, const struct row *row);
/* Gives the field NAME the role ROLE, and no other. */
void count_join_change_role(
	struct join *join, struct count_join *counts, const char *name, enum role role);
/* What a key weighs, from its weights on all CPUs (--per-cpu). Zero-filled is nothing. */
struct count_weight {
	int64_t weight;
	size_t source; /* an entry whose weight is not 0, as only such get stacks */
	bool set, sourced;
};
/* Adds what entry I weighs, unless its key was never set on its CPU. */
void count_join_add_cpu(
	struct join *join, struct count_join *counts, size_t i, struct count_weight *sum);
/* Gives entry I to the batch, as a sample that weighs WEIGHT. */
struct error *count_join_emit_as(
	struct join *join, struct count_join *counts, size_t i, uint64_t weight) must_check;
/* Gives the samples to the batch, if usable and not left out. */
struct error *count_join_emit(struct join *join, struct count_join *counts) must_check;
