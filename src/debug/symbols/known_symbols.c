// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/known_symbols.h"

#include <stdlib.h>

#include "debug/symbols/symtab.h"
#include "util/xalloc.h"

enum { SLOTS = 1 << 14 };

struct symbol_slot {
	uint32_t number; /* index in `all` plus 1; 0: none */
	uint32_t name;	 /* lower half of the name's pointer, to skip other symbols quickly */
};

struct known_symbol {
	const char *name;
	uint64_t start;
	struct debug_answer answer; /* answer for START */
	struct frame frame;
};

void known_symbols_deinit(struct known_symbols *known)
{
	vec_deinit(&known->all);
	free(known->slots);
}

static struct symbol_slot *pair_of(const struct known_symbols *known, const struct symbol *symbol)
{
	return &known->slots[symbol->start >> 4 & (SLOTS - 2)];
}

/* Returns the entry of SYMBOL, NULL if SLOT is empty or another symbol's. */
static const struct known_symbol *known_in(
	const struct known_symbols *known, struct symbol_slot slot, const struct symbol *symbol)
{
	if (!slot.number || slot.name != (uint32_t)(uintptr_t)symbol->name)
		return NULL;
	const struct known_symbol *found = &known->all.data[slot.number - 1];
	return found->start == symbol->start && found->name == symbol->name ? found : NULL;
}

bool known_symbols_find(const struct known_symbols *known, const struct symbol *symbol,
	uint64_t address, struct arena *frames, struct debug_answer *ret)
{
	if (!known->slots)
		return false;
	const struct symbol_slot *pair = pair_of(known, symbol);
	const struct known_symbol *found =
		known_in(known, pair[0], symbol) ?: known_in(known, pair[1], symbol);
	if (!found)
		return false;
	struct frame *frame = arena_alloc(frames, sizeof(*frame));
	*frame = found->frame;
	frame->offset += address - symbol->start;
	*ret = found->answer;
	ret->frames = frame;
	return true;
}

void known_symbols_add(struct known_symbols *known, const struct symbol *symbol, uint64_t address,
	const struct debug_answer *answer)
{
	if (!known->slots)
		known->slots = xcalloc(SLOTS, sizeof(*known->slots));
	struct symbol_slot *pair = pair_of(known, symbol), *slot = &pair[pair[0].number != 0];
	if (!slot->number) {
		(void)vec_add(&known->all);
		slot->number = (uint32_t)known->all.len;
	}
	slot->name = (uint32_t)(uintptr_t)symbol->name;
	struct known_symbol *added = &known->all.data[slot->number - 1];
	*added = (struct known_symbol){symbol->name, symbol->start, *answer, *answer->frames};
	added->frame.offset -= address - symbol->start;
}
