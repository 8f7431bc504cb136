/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects stacks that were looked up one at a time (`bpftool map lookup`). Each is a document of
 * its own, but most of them come from the same map.
 */
#pragma once

#include "input/stacks/stack_store.h"
#include "util/table.h"

struct looked_up {
	struct stack_store *store; /* owned, not sealed; NULL if nothing was collected */
	struct table ids;	   /* the stack IDs in STORE */
};

void looked_up_deinit(struct looked_up *looked_up);
/*
 * Takes ownership of STORE, which has one stack. If it cannot be of the same map as the collected
 * stacks (other name, role or size of values, or a repeated ID), starts anew and returns the
 * previous collection, which the caller owns. Otherwise returns NULL.
 */
struct stack_store *looked_up_add(struct looked_up *looked_up, struct stack_store *store);
/* Returns the collected stacks, which the caller owns, or NULL if there are none. */
struct stack_store *looked_up_take(struct looked_up *looked_up);
