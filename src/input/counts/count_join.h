/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins all entries of a count map, or rows of a table, with the stack maps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/count_map.h"
#include "input/roles/raw_reading.h"
#include "input/roles/roles.h"
#include "input/stacks/join.h"
#include "util/error.h"
#include "util/vec.h"

struct count_join {
	struct join *join;	      /* not owned */
	struct count_map *map;	      /* owned */
	struct count_reading reading; /* layouts of raw parts; why it is refused or left out */
	struct role_memo memo;
	struct role_overrides found; /* --key with the roles found by content; empty: use --key */
	struct join_ids ids;
	bool pid_is_pair; /* the field that is the process by its name holds a thread, too */
	bool is_set;	  /* a set: all values are 0 and meaningless, so each entry counts 1 */
	enum reading_status status;
	bool keyed;		     /* the stacks are in the key, not in the value */
	bool weighted;		     /* some field is the weight */
	bool pids_are_threads;	     /* see struct join */
	bool left_out;		     /* not used, because other maps are the counts */
	struct explained_join tally; /* for --explain */
};

struct count_joins VEC(struct count_join *);

/*
 * Takes ownership of MAP, and decides from all its entries how to read them, what their fields
 * mean, and which stack maps their IDs belong to. All stack maps must have been read.
 */
struct count_join *count_join_create(struct join *join, struct count_map *map);
/*
 * Finds the stack IDs of COUNTS by content, if it has BTF and no field name gives them. Call it
 * only if no other map has counts.
 */
void count_join_search(struct count_join *counts);
void count_join_destroy(struct count_join *counts);
/* Refuses COUNTS, taking ownership of the reason, with options to choose from. */
#define count_join_refuse(counts, ...)                                                             \
	((counts)->status = reading_refuse(&(counts)->reading, __VA_ARGS__, NULL))
/*
 * Reads the row of entry I, and returns its roles; both are valid until the next call. Returns NULL
 * if its raw bytes have no layout or another size.
 */
const struct roles *count_join_entry(struct count_join *counts, size_t i, struct row *ret);
/* Adds all samples to the batch, if COUNTS is usable and not left out. */
struct error *count_join_emit(struct count_join *counts) must_check;

/*
 * Emits later changes of live maps that were already emitted. Values may have grown between reading
 * and deletion; only the difference is emitted. Queues may have new entries.
 */

/* Returns the map called NAME of ALL if it was emitted, or NULL. */
struct count_join *counts_given(const struct count_joins *all, const char *name);
/*
 * Emits what a key of COUNTS counted since it was emitted. ENTRIES are its N values when it was
 * deleted, one for each CPU or just one. Sets RET_OTHER, and emits nothing, if they differ in more
 * than the weight.
 */
struct error *count_change_emit(struct count_join *counts, const struct map_entry *entries,
	size_t n, bool *ret_other) must_check;
/* Replaces all entries of COUNTS by the N ENTRIES, and emits them. */
struct error *count_taken_emit(
	struct count_join *counts, const struct map_entry *entries, size_t n) must_check;

/*
 * Chooses which of several maps hold the counts. Maps with different meanings are never added up:
 *
 *	1. If --counts is given, only maps given with it are used.
 *	2. Maps with stacks in their keys are preferred. Maps with stacks in their values
 *	   (measurements in progress, or single allocations) are then left out.
 *	3. Remaining maps with the same field names are added up. Others are refused, and so are
 *	   several maps without BTF, because only their bytes are known.
 *
 * Rows of tables and events are always used.
 */

/*
 * Marks the maps of ALL that are left out, and logs why. Returns ERROR_INPUT, and logs the choices,
 * if the user has to choose.
 */
struct error *counts_choose(const struct count_joins *all) must_check;
