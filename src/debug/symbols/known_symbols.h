/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches answers that came from a symbol alone: for other addresses of the symbol only the offset
 * differs. Does not copy the strings in answers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "util/arena.h"
#include "util/vec.h"

struct known_symbols {
	struct VEC(struct known_symbol) all;
	/* hash table of pairs, by start address; a full pair loses its second; NULL until needed */
	struct symbol_slot *slots;
};

void known_symbols_deinit(struct known_symbols *known);
/*
 * Finds the cached answer for ADDRESS, which SYMBOL covers, and allocates its frame from FRAMES.
 * Returns false if SYMBOL is not in the cache.
 */
bool known_symbols_find(const struct known_symbols *known, const struct symbol *symbol,
	uint64_t address, struct arena *frames, struct debug_answer *ret);
/* Caches ANSWER, of one frame, which SYMBOL gave for ADDRESS. SYMBOL must not be in the cache. */
void known_symbols_add(struct known_symbols *known, const struct symbol *symbol, uint64_t address,
	const struct debug_answer *answer);
