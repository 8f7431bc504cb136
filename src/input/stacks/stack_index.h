/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All stack maps of the input, and which of them a stack ID means. IDs are hash buckets, so the
 * same number often exists in several maps: the map is chosen by what its stack holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/lists/addresses.h"
#include "input/stacks/stack_store.h"
#include "util/vec.h"

#define STACK_INDEX_MAX 64 /* maps; each lookup visits all of them */

struct stack_index {
	struct VEC(struct stack_store *) stores; /* sealed; owned by the index */
	size_t user_given, kernel_given; /* how many have INPUT_USER_STACKS, INPUT_KERNEL_STACKS */
};

/* Zero-filled is empty. */
void stack_index_deinit(struct stack_index *index);
/* Takes STORE over and returns true; false when STACK_INDEX_MAX are there. */
bool stack_index_add(struct stack_index *index, struct stack_store *store);
/* Stacks in all maps. */
size_t stack_index_count(const struct stack_index *index);

/*
 * Which map a column of IDs means, found by counting over all IDs of the column: of several
 * candidates, one that knows all IDs is preferred to those that do not.
 */
struct stack_votes {
	uint64_t ids;			/* looked up */
	uint64_t found;			/* in at least one map, as a stack of the right side */
	uint64_t hits[STACK_INDEX_MAX]; /* found in this map */
};

/* Looks ID up as a stack of SIDE in every map, and counts where it is. */
void stack_index_vote(const struct stack_index *index, uint64_t id, enum address_side side,
	struct stack_votes *votes);
/* Which sides the stacks called ID can be of, as bits; 0: no map has one. */
enum { STACK_SIDE_USER = 1, STACK_SIDE_KERNEL = 2 };
unsigned int stack_index_sides(const struct stack_index *index, uint32_t id);
/* How likely a number that is no stack ID is in some map, by how many of the IDs are in use: 0 to 1. */
double stack_index_fill(const struct stack_index *index);
/* The only store that knows all IDs of VOTES, or NULL. */
const struct stack_store *stack_index_elect(
	const struct stack_index *index, const struct stack_votes *votes);

enum stack_found {
	STACK_FOUND,
	STACK_NOT_FOUND,
	STACK_DOUBTFUL, /* different stacks in several maps fit equally well */
};

struct stack_position {
	const struct stack_store *store;
	const struct stored_stack *stack;
	size_t number; /* of the store, in the index */
};

/*
 * Looks ID up as a stack of SIDE (SIDE_UNKNOWN: either). Maps given for one side are the only ones
 * asked for that side, and not asked for the other. In other maps a stack whose leaf is of the
 * wrong side is not the one meant. PREFERRED may be NULL. RET is set when found.
 */
enum stack_found stack_index_find(const struct stack_index *index, uint64_t id,
	enum address_side side, const struct stack_store *preferred, struct stack_position *ret);
