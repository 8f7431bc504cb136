/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of a stack while it is read from text. */
#pragma once

#include "model/frame.h"
#include "model/stack.h"
#include "util/vec.h"

struct slots {
	struct VEC(uint64_t) values;
	struct VEC(struct stack_origin) origins;
	bool in_files;				   /* true if some origin is not empty */
	struct VEC(const struct location *) known; /* for all slots, or for none */
};

void slots_deinit(struct slots *slots);
void slots_clear(struct slots *slots);
void slots_add(struct slots *slots, uint64_t value, struct stack_origin origin);
/* Adds a slot with the location that an earlier run resolved; NULL if it is unknown. */
void slots_add_known(struct slots *slots, uint64_t value, struct stack_origin origin,
	const struct location *location);
/* Returns the first DEPTH slots as a stack with ID -1, which is valid until SLOTS changes. */
struct stack slots_stack(const struct slots *slots, size_t depth);
