// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"
#include "process/jit_map.h"

void place_name_jit(
	struct places *places, const struct place *place, bool exact, struct location *location)
{
	uint64_t address = location->address - !exact;
	const struct jit_symbol *symbol = jit_map_find(place->jit, address);
	const struct jit_line *line = symbol ? jit_map_line(place->jit, symbol, address) : NULL;

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
	location->detail = NULL;
	location->frames = frame;
}
