// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/ranges.h"
#include "debug/dwarf/walk.h"
#include "util/stop.h"
#include "util/vec.h"

void functions_deinit(struct unit *unit)
{
	for (size_t i = 0; i < unit->n_functions; i++)
		scopes_destroy(unit->functions[i].scopes);
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
