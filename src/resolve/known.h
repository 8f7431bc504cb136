/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks resolved by an earlier run, whose output is read back: existing names stay, missing ones
 * are looked up. The result never has less than the input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "debug/names/shown_names.h"
#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* A value that is looked up although it is partly known. */
struct known_slot {
	size_t index; /* index in the batch's slots */
	const struct location *known;
};

/* The known locations of a batch. */
struct known_slots {
	struct VEC(struct known_slot) all;
	bool given; /* at least one location is known */
	struct arena memory;
	/* number of a location → the location with its names in STYLE, in SHOWN_MEMORY */
	struct table shown;
	struct arena shown_memory;
	struct shown_names *names; /* NULL: none */
	enum name_style style;
};

void known_slots_deinit(struct known_slots *slots);
/* Returns the known location of value I, with names in STYLE; NULL: it has to be looked up. */
const struct location *known_final(const struct stack *stack, size_t i, enum name_style style);
/* Returns true for a signal trampoline, which is not followed by a return address. */
bool known_is_trampoline(const struct location *location);
/* Notes that value I of STACK, number INDEX of the batch, is being looked up. */
void known_note(struct known_slots *slots, const struct stack *stack, size_t i, size_t index);
/*
 * Merges each noted one of N LOCATIONS, by index, with what was known, after all lookups; shows
 * names given by tools in STYLE. New locations live until the next call.
 */
void known_settle(struct known_slots *slots, const struct location **locations, size_t n,
	enum name_style style);
