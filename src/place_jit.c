// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"
#include "process/jit.h"

bool place_jit_changed(const struct place *place, bool exact)
{
	return place->jit && place->jit_versions[exact] != jit_version(place->jit);
}

void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location)
{
	const struct jit_line *line;
	const struct jit_symbol *symbol = jit_find(
		place->jit, place->jit_mapping, place->base.address - !exact, &line);

	*location = place->base;
	place->jit_versions[exact] = jit_version(place->jit);
	if (!symbol)
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
	location->frames = frame;
}
