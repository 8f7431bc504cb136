// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/jit_place.h"

#include <string.h>

#include "process/jit/jit.h"

bool place_jit_changed(const struct place *place, bool exact)
{
	return place->jit && place->jit_versions[exact] != jit_version(place->jit);
}

/* Returns true if other code was there, by its map or an earlier answer: the stack may be older. */
static bool is_replaced(struct place *place, bool exact, const char *name)
{
	const char **first = &place->jit_names[exact];

	if (!*first)
		*first = name;
	return strcmp(*first, name) != 0 || jit_replaced(place->jit, place->base.address - !exact);
}

void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location)
{
	const struct jit_line *line;
	bool ambiguous;
	const struct jit_symbol *symbol =
		jit_find(place->jit, place->time, place->base.address - !exact, &line, &ambiguous);

	*location = place->base;
	place->jit_versions[exact] = jit_version(place->jit);
	if (symbol && ambiguous)
		location->status = FRAME_AMBIGUOUS_CODE;
	if (!symbol || ambiguous)
		return;
	struct frame *frame = arena_alloc(&places->arena, sizeof(*frame));
	*frame = (struct frame){
		.function = symbol->name,
		.linkage = symbol->name,
		.offset = location->address - symbol->start,
		.has_offset = true,
		.file = line ? line->file : NULL,
		.line = line ? line->line : 0,
		.column = line ? line->column : 0,
	};
	location->kind = LOCATION_JIT;
	location->status = FRAME_NAMED;
	location->source = SOURCE_PERF_MAP;
	location->detail = location->doubtful ? location->detail : NULL;
	if (is_replaced(place, exact, symbol->name) && !location->doubtful) {
		location->doubtful = true;
		location->detail = "other code was there before: the stack may belong to it";
	}
	location->frames = frame;
}
