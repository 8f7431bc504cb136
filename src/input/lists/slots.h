/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of a stack while its text is read. */
#pragma once

#include "model/frame.h"
#include "model/stack.h"
#include "util/vec.h"

/* Zero-filled is empty. */
struct slots {
	struct VEC(uint64_t) values;
	struct VEC(struct stack_origin) origins;
	bool in_files;				   /* some origin is more than none */
	struct VEC(const struct location *) known; /* of all slots, or of none */
};

void slots_deinit(struct slots *slots);
void slots_clear(struct slots *slots);
void slots_add(struct slots *slots, uint64_t value, struct stack_origin origin);
/* The same, of which LOCATION is known; NULL: nothing is. */
void slots_add_known(struct slots *slots, uint64_t value, struct stack_origin origin,
	const struct location *location);
/* The first DEPTH slots as a stack with ID -1; valid until SLOTS changes. */
struct stack slots_stack(const struct slots *slots, size_t depth);
