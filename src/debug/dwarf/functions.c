// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"
#include "util/stop.h"
#include "util/vec.h"

static void scopes_destroy(struct scopes *scopes)
{
	if (!scopes)
		return;
	vec_deinit(&scopes->all);
	range_map_deinit(&scopes->map);
	free(scopes);
}

void functions_deinit(struct unit *unit)
{
	array_each(function, unit->functions, unit->n_functions)
		scopes_destroy(function->scopes);
	free(unit->functions);
	unit->functions = NULL;
	unit->n_functions = 0;
	range_map_deinit(&unit->function_map);
}

/* A pass over the DIEs of one unit. */
struct function_search {
	struct unit *unit;
	struct walk walk;
	struct VEC(struct function) functions;
	struct range_map map;
	bool types; /* types can contain functions */
	bool deep;  /* search all DIEs */
};

/* Returns false for languages whose compilers put functions beside the types that declare them. */
static bool types_hold_functions(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_Mips_Assembler:
		return false;
	}
	return true;
}

static bool is_entered(const struct function_search *search, const struct abbrev *abbrev)
{
	return abbrev->children && (search->deep || abbrev->kind == DIE_NAMESPACE ||
					   (abbrev->kind == DIE_TYPE && search->types));
}

static void add_function(struct function_search *search, uint64_t die, const struct code *code)
{
	struct ranges ranges;
	uint64_t start, end, entry;
	bool first = true;

	ranges_begin(&ranges, search->unit, code);
	while (ranges_next(&ranges, &start, &end)) {
		if (first)
			vec_push(&search->functions, (struct function){.die = die, .entry = start});
		first = false;
		range_map_add(&search->map, start, end, (uint32_t)(search->functions.len - 1), 0);
	}
	if (!first && code_entry(code, search->unit, &entry))
		search->functions.data[search->functions.len - 1].entry = entry;
}

/* Searches the unit DIE and its descendants. */
static void search_unit(struct function_search *search)
{
	struct walk *walk = &search->walk;
	uint64_t depth = 0;

	do {
		uint64_t offset = walk_offset(walk);
		const struct abbrev *abbrev = walk_begin(walk);

		if (!abbrev) {
			depth -= depth > 0;
			continue;
		}
		if (abbrev->kind == DIE_FUNCTION && abbrev->has_code) {
			const struct code code = walk_code(walk, abbrev);

			add_function(search, offset, &code);
		}
		if (!depth || is_entered(search, abbrev)) {
			walk_attributes(walk, abbrev);
			depth += abbrev->children;
		} else {
			walk_tree(walk, abbrev);
		}
	} while (depth && !walk->cursor.failed && !stop_asked());
}

static void read_functions(struct unit *unit, bool deep)
{
	struct function_search search = {.unit = unit,
		.walk = walk_from(unit, unit->first),
		.types = types_hold_functions(unit),
		.deep = deep};

	search_unit(&search);
	range_map_finish(&search.map);
	functions_deinit(unit);
	unit->functions = search.functions.data;
	unit->n_functions = search.functions.len;
	unit->function_map = search.map;
	unit->functions_read = true;
	unit->deep = deep;
}

const struct range_map *functions_ranges(struct unit *unit)
{
	if (!unit_read_abbrevs(unit))
		return NULL;
	if (!unit->functions_read)
		read_functions(unit, false);
	return &unit->function_map;
}

struct function *functions_find(struct unit *unit, uint64_t address)
{
	const struct range *range = NULL;

	if (!functions_ranges(unit))
		return NULL;
	range = range_map_find(&unit->function_map, address);
	if (!range && !unit->deep) {
		read_functions(unit, true);
		range = range_map_find(&unit->function_map, address);
	}
	return range ? &unit->functions[range->value] : NULL;
}

/* Scopes. */

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
