/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots of which something was found out before, by a run whose output is read back: a name that is
 * there stays, and what is missing is looked up. What comes out is never less than what was there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "debug/names/shown_names.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/vec.h"

/* A slot that is looked up although something is known. */
struct known_slot {
	size_t index; /* in the batch's slots */
	const struct location *known;
};

/* Those of a batch. Zero-filled is empty. */
struct known_slots {
	struct VEC(struct known_slot) all;
	bool given; /* something is known of a slot */
	struct arena memory;
	struct shown_names *names; /* NULL: none */
};

void known_slots_deinit(struct known_slots *slots);
/* What is known of slot I and need not be looked up, with names in STYLE; NULL: it must be. */
const struct location *known_final(const struct stack *stack, size_t i, enum name_style style);
/* Whether what was called is a signal trampoline: behind it stands no return address. */
bool known_is_trampoline(const struct location *location);
/* Notes that slot I of STACK, number INDEX of the batch, is being looked up. */
void known_note(struct known_slots *slots, const struct stack *stack, size_t i, size_t index);
/*
 * When all is looked up: makes each noted one of the N LOCATIONS, by index, the best of both, and
 * has names that tools gave shown in STYLE. What is made anew lives until the next call.
 */
void known_settle(struct known_slots *slots, const struct location **locations, size_t n,
	enum name_style style);
