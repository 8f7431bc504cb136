/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up single stacks in live maps, because the stacks to which events refer may have been added
 * after the maps were read.
 */
#pragma once

#include "input/live/map.h"
#include "input/stacks/join.h"

struct live_stacks {
	const struct live_maps *maps; /* only those of kind LIVE_STACKS are searched */
	uint8_t *value;		      /* owned; room for their largest value */
};

/* MAPS must outlive RET. */
void live_stacks_init(const struct live_maps *maps, struct live_stacks *ret);
void live_stacks_deinit(struct live_stacks *stacks);
/* Implements find() of struct join_live. CONTEXT is a struct live_stacks. */
enum stack_found live_stacks_find(void *context, const struct address_halves *halves, uint32_t id,
	enum address_side side, struct arena *memory, struct stack *ret);
