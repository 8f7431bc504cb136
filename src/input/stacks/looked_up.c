// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/looked_up.h"

#include <string.h>

#include "util/cleanup.h"

void looked_up_deinit(struct looked_up *looked_up)
{
	stack_store_destroy(looked_up->store);
	table_deinit(&looked_up->ids);
}

struct stack_store *looked_up_take(struct looked_up *looked_up)
{
	table_clear(&looked_up->ids);
	return take(looked_up->store);
}

/* Returns true if STORE may be of the collected map. A repeated ID means another map. */
static bool is_of_map(const struct looked_up *looked_up, const struct stack_store *store)
{
	const struct stack_store *all = looked_up->store;
	const struct stored_stack *stack = stack_store_at(store, 0);

	return all && stack_store_role(all) == stack_store_role(store) &&
	       stack_store_at(all, 0)->len == stack->len &&
	       !strcmp(stack_store_name(all), stack_store_name(store)) &&
	       !table_find(&looked_up->ids, &stack->id, sizeof(stack->id));
}

struct stack_store *looked_up_add(struct looked_up *looked_up, struct stack_store *store)
{
	uint32_t id = stack_store_at(store, 0)->id;
	struct stack_store *before = NULL;

	if (is_of_map(looked_up, store)) {
		stack_store_append(looked_up->store, store);
		stack_store_destroy(store);
	} else {
		before = looked_up_take(looked_up);
		looked_up->store = store;
	}
	*table_at(&looked_up->ids, &id, sizeof(id), NULL) = 1;
	return before;
}
