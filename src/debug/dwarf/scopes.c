// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/scopes.h"

#include <stdlib.h>

#include "debug/dwarf/ranges.h"
#include "debug/dwarf/walk.h"

void scopes_destroy(struct scopes *scopes)
{
	if (!scopes)
		return;
	vec_deinit(&scopes->all);
	range_map_deinit(&scopes->map);
	free(scopes);
}

struct scopes_reading {
	struct unit *unit;
	uint64_t start, end; /* wanted ELF addresses, [start, end) */
	struct scopes *scopes;
	struct walk walk;
	uint32_t parents[SCOPES_DEPTH_MAX + 1]; /* scope around the DIEs at each depth */
	unsigned depth;
};

/*
 * Returns true if the ranges of a DIE overlap the wanted ones, or if it has none. Adds those of an
 * inlined call to scope INDEX.
 */
static bool overlaps(struct scopes_reading *reading, const struct abbrev *abbrev, uint32_t index)
{
	uint64_t start, end;
	bool any = false, hit = false;

	if (!abbrev->has_code)
		return true;
	struct code code = walk_code(&reading->walk, abbrev);
	struct ranges ranges;
	ranges_begin(&ranges, reading->unit, &code);
	while (ranges_next(&ranges, &start, &end)) {
		any = true;
		if (start >= reading->end || end <= reading->start)
			continue;
		hit = true;
		if (abbrev->kind == DIE_INLINED)
			range_map_add(&reading->scopes->map, start, end, index, reading->depth);
	}
	return hit || !any;
}

/* Enters or skips the DIE at OFFSET. */
static void read_die(struct scopes_reading *reading, const struct abbrev *abbrev, uint64_t offset)
{
	struct walk *walk = &reading->walk;
	uint32_t index = (uint32_t)reading->scopes->all.len;
	uint32_t parent = reading->parents[reading->depth];

	if ((abbrev->kind != DIE_INLINED && abbrev->kind != DIE_BLOCK) ||
		!overlaps(reading, abbrev, index)) {
		walk_tree(walk, abbrev);
		return;
	}
	if (abbrev->kind == DIE_INLINED) {
		vec_push(&reading->scopes->all, (struct scope){offset, parent});
		parent = index;
	}
	if (!abbrev->children || reading->depth == SCOPES_DEPTH_MAX) {
		walk_tree(walk, abbrev);
		return;
	}
	walk_attributes(walk, abbrev);
	reading->parents[++reading->depth] = parent;
}

/* Reads the scopes that overlap [START, END). */
static void read_scopes(
	struct unit *unit, uint64_t die, uint64_t start, uint64_t end, struct scopes *ret)
{
	struct scopes_reading reading;

	reading.unit = unit;
	reading.start = start;
	reading.end = end;
	reading.scopes = ret;
	reading.walk = walk_from(unit, die);
	const struct abbrev *abbrev = walk_begin(&reading.walk);
	if (!abbrev)
		return;
	walk_attributes(&reading.walk, abbrev);
	reading.depth = abbrev->children;
	reading.parents[1] = SCOPES_NONE;
	while (reading.depth && !reading.walk.cursor.failed) {
		uint64_t offset = walk_offset(&reading.walk);

		abbrev = walk_begin(&reading.walk);
		if (abbrev)
			read_die(&reading, abbrev, offset);
		else
			reading.depth--;
	}
}

void scopes_read(struct unit *unit, uint64_t die, struct scopes *ret)
{
	read_scopes(unit, die, 0, UINT64_MAX, ret);
	range_map_finish(&ret->map);
}

uint32_t scopes_read_at(struct unit *unit, uint64_t die, uint64_t address, struct scopes *scratch)
{
	scratch->all.len = scratch->map.len = 0;
	read_scopes(unit, die, address, address + 1, scratch);
	const struct range *range = range_map_innermost(&scratch->map);

	return range ? range->value : SCOPES_NONE;
}

uint32_t scopes_innermost(const struct scopes *scopes, uint64_t address)
{
	const struct range *range = range_map_find(&scopes->map, address);

	return range ? range->value : SCOPES_NONE;
}
