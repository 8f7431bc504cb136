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

struct count_join {
	struct count_map *map;	      /* owned */
	struct count_reading reading; /* its layouts of raw parts; why it is refused, or left out */
	bool mixed; /* a part of formatted entries is read from its bytes, as a given layout says */
	struct VEC(struct field) fields; /* of the mixed entry read last */
	struct role_memo memo;
	struct role_overrides found; /* --key, and what content added to it; empty: --key alone */
	struct join_preference preference;
	bool is_set; /* its values are all 0, and say nothing: each entry counts 1 */
	struct missing missing;
	enum reading_status status;
	bool keyed;		 /* the stacks are named by the key, not by the value */
	bool weighted;		 /* it says how often */
	bool pids_are_threads;	 /* struct join says what that is */
	bool left_out;		 /* other maps are the counts */
	struct join_tally tally; /* where an explanation is asked for */
};

struct count_joins VEC(struct count_join *);

/*
 * Looks at all entries of MAP: what they hold, the meaning of their fields, and the stack maps
 * their IDs are from. All stack maps must be known. Takes MAP over.
 */
struct count_join *count_join_create(struct join *join, struct count_map *map);
/*
 * Finds by content which fields of BTF COUNTS names the stacks with, if their names do not say so. To be called
 * where no map has counts otherwise.
 */
void count_join_search(struct join *join, struct count_join *counts);
void count_join_destroy(struct count_join *counts);
/* Refuses COUNTS for a reason, which is taken over, with options to choose from. */
#define count_join_refuse(counts, ...)                                                             \
	((counts)->status = reading_refuse(&(counts)->reading, __VA_ARGS__, NULL))
/*
 * The row of entry I, and what its fields mean, good until the next call; NULL if its raw bytes
 * have no layout or another size.
 */
const struct roles *count_join_entry(
	struct join *join, struct count_join *counts, size_t i, struct row *ret);
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
