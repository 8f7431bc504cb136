/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges a whole stack by its frames, once these have their names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/table.h"

/* Doubtful copies of locations, for one batch. Zero-filled except for SERIALS is empty. */
struct doubted {
	uint64_t *serials; /* last serial given to a location; not owned */
	struct arena arena;
	struct table by_serial; /* serial * 2 + misled → copy */
	/* Direct-mapped cache of BY_SERIAL: most frames of a batch are the same few. */
	struct recent_doubt {
		uint64_t key;
		const struct location *copy;
	} recent[1 << 11];
};

void doubted_deinit(struct doubted *doubted);
/* Frees the copies. */
void doubted_clear(struct doubted *doubted);
/*
 * Judges the user stack STACK, whose N LOCATIONS are leaf first. Replaces locations after a frame
 * that is not a return address by doubtful copies, which DOUBTED owns. Cuts trailing locations that
 * are not frames: reduces N, and clears STACK's truncated flag.
 */
struct stack_health health_user_stack(
	struct doubted *doubted, struct stack *stack, const struct location **locations, size_t *n);
/*
 * Returns the health that the state of STACK alone implies. This is enough for kernel stacks, which
 * do not depend on frame pointers, and for stacks whose frames are not named.
 */
struct stack_health health_of_state(const struct stack *stack);
/*
 * Removes from HEALTH what does not hold for N LOCATIONS, which are left of its stack. ROOTED: the
 * outermost frames are not among them.
 */
void health_restrict(struct stack_health *health, const struct location *const *locations, size_t n,
	bool rooted);
