/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All stack maps of the input, and the search for the one that a stack ID refers to. IDs are hash
 * buckets, so that several maps often have the same ID. The map is chosen by the content of its
 * stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/lists/addresses.h"
#include "input/stacks/stack_store.h"
#include "util/table.h"
#include "util/vec.h"

#define STACK_INDEX_MAX 64 /* limit on the maps, because each lookup visits all of them */

struct stack_index {
	struct VEC(struct stack_store *) stores; /* sealed; owned by the index */
	size_t given[SIDE_COUNT]; /* number of maps that were given for the stacks of a side */
};

/* Destroys the stores. */
void stack_index_deinit(struct stack_index *index);
/* Takes ownership of STORE and returns true. Returns false if there are STACK_INDEX_MAX stores. */
bool stack_index_add(struct stack_index *index, struct stack_store *store);
/* Returns the number of stacks in all maps. */
size_t stack_index_count(const struct stack_index *index);

/*
 * Counts in which maps the IDs of one column are found. If several maps have an ID, the only map
 * that has all IDs of the column is preferred.
 */
struct stack_votes {
	uint64_t ids; /* IDs looked up */
	/* IDs that some map has, with a stack of the right or of unknown side */
	uint64_t found;
	uint64_t hits[STACK_INDEX_MAX]; /* IDs that this map has */
};

/* Looks up ID as a stack of SIDE in every map, and counts the result in VOTES. */
void stack_index_vote(const struct stack_index *index, uint64_t id, enum address_side side,
	struct stack_votes *votes);
/* Returns the possible sides of the stacks with this ID, as a bit mask; 0 if no map has the ID. */
enum { STACK_SIDE_USER = 1, STACK_SIDE_KERNEL = 2 };
unsigned int stack_index_sides(const struct stack_index *index, uint32_t id);
/*
 * Returns the probability, from 0 to 1, that an arbitrary number is a stack ID of some map,
 * estimated from the fraction of IDs in use.
 */
double stack_index_fill(const struct stack_index *index);
/* Returns the store that has all IDs of VOTES, or NULL if there is none or more than one. */
const struct stack_store *stack_index_elect(
	const struct stack_index *index, const struct stack_votes *votes);

enum stack_found {
	STACK_FOUND,
	STACK_NOT_FOUND,
	STACK_DOUBTFUL, /* several maps have different stacks that fit equally well */
};

struct stack_position {
	const struct stack_store *store;
	const struct stored_stack *stack;
	size_t number; /* index of the store in stack_index.stores */
};

/*
 * Looks up ID as a stack of SIDE (SIDE_UNKNOWN: either). If maps were given for that side, only
 * they are searched; maps given for the other side never are. In other maps, stacks whose leaf is
 * of the wrong side are ignored. PREFERRED, which may be NULL, wins if its stack is confirmed to be
 * of SIDE. Sets RET if the result is STACK_FOUND.
 */
enum stack_found stack_index_find(const struct stack_index *index, uint64_t id,
	enum address_side side, const struct stack_store *preferred, struct stack_position *ret);

/*
 * Stacks that were looked up one at a time (`bpftool map lookup`). Each is a document of its own,
 * but most of them come from the same map.
 */
struct looked_up {
	struct stack_store *store; /* owned, not sealed; NULL if nothing was collected */
	struct table ids;	   /* the stack IDs in STORE */
};

/*
 * Takes ownership of STORE, which has one stack. If it cannot be of the same map as the collected
 * stacks (other name, role or size of values, or a repeated ID), starts anew and returns the
 * previous collection, which the caller owns. Otherwise returns NULL.
 */
struct stack_store *looked_up_add(struct looked_up *looked_up, struct stack_store *store);
/* Returns the collected stacks, which the caller owns, or NULL if there are none. */
struct stack_store *looked_up_take(struct looked_up *looked_up);
