// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"
#include "util/stop.h"
#include "util/xalloc.h"

/* functions searched more often have all scopes read and kept */
enum { ASKED_MAX = 2 };
/* deeper trees are cut; the deepest seen in real programs (Rust, inlined closures) is about 80 */
enum { SCOPES_DEPTH_MAX = 512 };

#define SCOPES_NONE UINT32_MAX

void functions_deinit(struct unit *unit)
{
	vec_each(function, &unit->functions) {
		if (!function->scopes)
			continue;
		vec_deinit(&function->scopes->all);
		vec_deinit(&function->scopes->map);
		free(function->scopes);
	}
	vec_deinit(&unit->functions);
	vec_deinit(&unit->function_map);
}

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

/*
 * Adds the function at offset DIE, if it has code. Its entry point is DW_AT_entry_pc or, without
 * that, DW_AT_low_pc or the start of its first range.
 */
static void add_function(struct unit *unit, uint64_t die, const struct code *code)
{
	const uint32_t index = (uint32_t)unit->functions.len;
	struct ranges ranges;
	uint64_t start, end, low;

	ranges_begin(&ranges, unit, code);
	while (ranges_next(&ranges, &start, &end)) {
		if (unit->functions.len == index)
			vec_push(&unit->functions, (struct function){.die = die, .entry = start});
		range_map_add(&unit->function_map, start, end, index, 0);
	}
	if (unit->functions.len == index)
		return;
	uint64_t *entry = &unit->functions.data[index].entry;
	if (!unit_address(unit, &code->entry, entry) && unit_address(unit, &code->low, &low))
		*entry = low + form_constant(&code->entry);
}

/* Reads the functions of UNIT; with DEEP, searches all DIEs. */
static void read_functions(struct unit *unit, bool deep)
{
	const bool types = types_hold_functions(unit);
	struct walk walk = walk_from(unit, unit->first);
	uint64_t depth = 0;

	functions_deinit(unit);
	unit->functions_read = true;
	unit->deep = deep;
	do {
		uint64_t offset = walk_offset(&walk);
		const struct abbrev *abbrev = walk_begin(&walk);

		if (!abbrev) {
			depth -= depth > 0;
			continue;
		}
		if (abbrev->kind == DIE_FUNCTION && abbrev->has_code) {
			const struct code code = walk_code(&walk, abbrev);

			add_function(unit, offset, &code);
		}
		bool entered = deep || abbrev->kind == DIE_NAMESPACE ||
			       (abbrev->kind == DIE_TYPE && types);
		if (!depth || (abbrev->children && entered)) {
			walk_attributes(&walk, abbrev);
			depth += abbrev->children;
		} else {
			walk_tree(&walk, abbrev);
		}
	} while (depth && !walk.cursor.failed && !stop_asked());
	range_map_finish(&unit->function_map);
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
	if (!functions_ranges(unit))
		return NULL;
	const struct range *range = range_map_find(&unit->function_map, address);
	if (!range && !unit->deep) {
		read_functions(unit, true);
		range = range_map_find(&unit->function_map, address);
	}
	return range ? &unit->functions.data[range->value] : NULL;
}

/* Scopes. */

/* Reads the scopes that overlap [START, END). */
static void read_scopes(
	struct unit *unit, uint64_t die, uint64_t start, uint64_t end, struct scopes *ret)
{
	uint32_t parents[SCOPES_DEPTH_MAX + 1]; /* scope around the DIEs at each depth */
	struct walk walk = walk_from(unit, die);
	const struct abbrev *abbrev = walk_begin(&walk);
	struct ranges ranges;
	uint64_t from, to;

	if (!abbrev)
		return;
	walk_attributes(&walk, abbrev);
	unsigned depth = abbrev->children;
	parents[1] = SCOPES_NONE;
	while (depth && !walk.cursor.failed) {
		uint64_t offset = walk_offset(&walk);
		uint32_t index = (uint32_t)ret->all.len, scope = parents[depth];

		abbrev = walk_begin(&walk);
		if (!abbrev) {
			depth--;
			continue;
		}
		bool entered = abbrev->kind == DIE_INLINED || abbrev->kind == DIE_BLOCK;
		if (entered && abbrev->has_code) {
			const struct code code = walk_code(&walk, abbrev);
			bool any = false, hit = false;

			ranges_begin(&ranges, unit, &code);
			while (ranges_next(&ranges, &from, &to)) {
				any = true;
				if (from >= end || to <= start)
					continue;
				hit = true;
				if (abbrev->kind == DIE_INLINED)
					range_map_add(&ret->map, from, to, index, depth);
			}
			entered = hit || !any;
		}
		if (entered && abbrev->kind == DIE_INLINED) {
			vec_push(&ret->all, (struct scope){offset, scope});
			scope = index;
		}
		if (!entered || !abbrev->children || depth == SCOPES_DEPTH_MAX) {
			walk_tree(&walk, abbrev);
			continue;
		}
		walk_attributes(&walk, abbrev);
		parents[++depth] = scope;
	}
}

size_t scopes_find(struct unit *unit, struct function *function, uint64_t address,
	struct scopes *scratch, uint64_t chain[SCOPES_CHAIN_MAX])
{
	struct scopes *scopes = function->scopes;
	const struct range *range;
	size_t n = 0, stored = 0;

	if (!scopes && function->asked++ < ASKED_MAX) {
		scopes = scratch;
		scopes->all.len = scopes->map.len = 0;
		read_scopes(unit, function->die, address, address + 1, scopes);
		range = range_map_innermost(&scopes->map);
	} else {
		if (!scopes) {
			scopes = function->scopes = xnew(scopes);
			read_scopes(unit, function->die, 0, UINT64_MAX, scopes);
			range_map_finish(&scopes->map);
		}
		range = range_map_find(&scopes->map, address);
	}
	const uint32_t innermost = range ? range->value : SCOPES_NONE;
	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		n++;
	for (uint32_t i = innermost; i != SCOPES_NONE; i = scopes->all.data[i].parent)
		if (n-- <= SCOPES_CHAIN_MAX)
			chain[stored++] = scopes->all.data[i].die;
	return stored;
}
