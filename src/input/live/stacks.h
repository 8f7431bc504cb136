/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of live maps, one by one: what events name need not have been there when the maps were
 * read.
 */
#pragma once

#include "input/live/map.h"
#include "input/stacks/join.h"

struct live_stacks {
	const struct live_maps *maps; /* those of kind LIVE_STACKS are asked */
	uint8_t *value;		      /* room for the largest of them */
};

/* MAPS must outlive RET. */
void live_stacks_init(const struct live_maps *maps, struct live_stacks *ret);
void live_stacks_deinit(struct live_stacks *stacks);
/* A struct join_live's find(); CONTEXT is a struct live_stacks. */
enum stack_found live_stacks_find(void *context, const struct address_halves *halves, uint32_t id,
	enum address_side side, struct arena *memory, struct stack *ret);
