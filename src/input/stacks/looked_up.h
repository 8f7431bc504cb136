/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks that were looked up one by one: each is a document of its own, and most are of one map. */
#pragma once

#include "input/stacks/stack_store.h"
#include "util/table.h"

/* Zero-filled is empty. */
struct looked_up {
	struct stack_store *store; /* owned, not sealed; NULL: none */
	struct table ids;	   /* in it */
};

void looked_up_deinit(struct looked_up *looked_up);
/*
 * Takes STORE, with one stack, over. What was collected before is returned, for the caller, if it cannot
 * be of the same map: it has another name or size, or the same ID; else NULL.
 */
struct stack_store *looked_up_add(struct looked_up *looked_up, struct stack_store *store);
/* Hands over what was collected, NULL: nothing. */
struct stack_store *looked_up_take(struct looked_up *looked_up);
