/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers that a symbol alone gave, for its further addresses: they say the same but for the
 * offset. Kept of symbols that were asked for lately; the strings are the answers'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "util/arena.h"
#include "util/vec.h"

/* Zero-filled is empty. */
struct known_symbols {
	struct VEC(struct known_symbol) all;
	struct symbol_slot *slots; /* by where they start, in pairs; NULL: none yet */
};

void known_symbols_deinit(struct known_symbols *known);
/* The answer for ADDRESS, which SYMBOL covers, its frame from FRAMES. False: it is not known. */
bool known_symbols_find(const struct known_symbols *known, const struct symbol *symbol,
	uint64_t address, struct arena *frames, struct debug_answer *ret);
/* Keeps ANSWER, of one frame, that SYMBOL gave for ADDRESS, and is not known. */
void known_symbols_add(struct known_symbols *known, const struct symbol *symbol, uint64_t address,
	const struct debug_answer *answer);
