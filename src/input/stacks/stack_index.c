// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/stack_index.h"

#include <string.h>

#include "util/cleanup.h"

void stack_index_deinit(struct stack_index *index)
{
	vec_destroy(&index->stores, stack_store_destroy);
}

bool stack_index_add(struct stack_index *index, struct stack_store *store)
{
	if (index->stores.len == STACK_INDEX_MAX)
		return false;
	vec_push(&index->stores, store);
	index->given[store->given_side]++;
	return true;
}

size_t stack_index_count(const struct stack_index *index)
{
	size_t count = 0;

	vec_each_value(store, &index->stores)
		count += store->stacks.len;
	return count;
}

/*
 * Returns the stack of ID in store I if its leaf is not of the wrong side, or NULL. Sets RIGHT to
 * true if the leaf or the role of the map confirms SIDE. A leaf that is no address, after a jump to
 * a bad pointer, confirms and excludes nothing.
 */
static const struct stored_stack *candidate(
	const struct stack_index *index, size_t i, uint64_t id, enum address_side side, bool *right)
{
	const struct stack_store *store = index->stores.data[i];
	enum address_side given = store->given_side;

	if (side != SIDE_UNKNOWN && given != side && (given != SIDE_UNKNOWN || index->given[side]))
		return NULL;
	const struct stored_stack *stack = stack_store_find(store, id);
	if (!stack)
		return NULL;
	*right = side == SIDE_UNKNOWN || stack->side == side || given == side;
	return *right || stack->side == SIDE_UNKNOWN ? stack : NULL;
}

void stack_index_vote(const struct stack_index *index, uint64_t id, enum address_side side,
	struct stack_votes *votes)
{
	bool right, found = false;

	votes->ids++;
	for (size_t i = 0; i < index->stores.len; i++) {
		if (!candidate(index, i, id, side, &right))
			continue;
		votes->hits[i]++;
		found = true;
	}
	votes->found += found;
}

unsigned int stack_index_sides(const struct stack_index *index, uint32_t id)
{
	unsigned int sides = 0;
	bool right;

	for (size_t i = 0; i < index->stores.len; i++) {
		if (candidate(index, i, id, SIDE_USER, &right))
			sides |= STACK_SIDE_USER;
		if (candidate(index, i, id, SIDE_KERNEL, &right))
			sides |= STACK_SIDE_KERNEL;
	}
	return sides;
}

double stack_index_fill(const struct stack_index *index)
{
	double fill = 0;

	vec_each_value(store, &index->stores) {
		if (store->stacks.len)
			fill += (double)store->stacks.len /
				((double)vec_last(&store->stacks)->id + 1);
	}
	return fill < 1 ? fill : 1;
}

const struct stack_store *stack_index_elect(
	const struct stack_index *index, const struct stack_votes *votes)
{
	const struct stack_store *elected = NULL;

	for (size_t i = 0; votes->ids && i < index->stores.len; i++) {
		if (votes->hits[i] < votes->ids)
			continue;
		if (elected)
			return NULL;
		elected = index->stores.data[i];
	}
	return elected;
}

enum stack_found stack_index_find(const struct stack_index *index, uint64_t id,
	enum address_side side, const struct stack_store *preferred, struct stack_position *ret)
{
	struct stack_position best = {};
	bool best_right = false, doubt = false, right;

	for (size_t i = 0; i < index->stores.len; i++) {
		struct stack_position position = {
			index->stores.data[i], candidate(index, i, id, side, &right), i};

		if (!position.stack || (best.stack && best_right && !right))
			continue;
		if (position.store == preferred && right) {
			*ret = position;
			return STACK_FOUND;
		}
		if (best.stack && best_right == right) {
			doubt |= !stack_store_equal(
				best.store, best.stack, position.store, position.stack);
			continue;
		}
		best = position;
		best_right = right;
		doubt = false;
	}
	if (!best.stack)
		return STACK_NOT_FOUND;
	if (doubt)
		return STACK_DOUBTFUL;
	*ret = best;
	return STACK_FOUND;
}

/* ---- stacks that were looked up -------------------------------------------------------------- */

struct stack_store *looked_up_take(struct looked_up *looked_up)
{
	table_clear(&looked_up->ids);
	return take(looked_up->store);
}

struct stack_store *looked_up_add(struct looked_up *looked_up, struct stack_store *store)
{
	struct stack_store *all = looked_up->store, *before = NULL;
	const struct stored_stack stack = store->stacks.data[0];

	/* a repeated ID means another map */
	if (all && all->role == store->role && all->stacks.data[0].len == stack.len &&
		!strcmp(all->name, store->name) &&
		!table_find(&looked_up->ids, &stack.id, sizeof(stack.id))) {
		(void)stack_store_add(
			all, stack.id, stack_store_bytes(store, &stack, &store->memory), stack.len);
		stack_store_destroy(store);
	} else {
		before = looked_up_take(looked_up);
		looked_up->store = store;
	}
	*table_at(&looked_up->ids, &stack.id, sizeof(stack.id), NULL) = 1;
	return before;
}
