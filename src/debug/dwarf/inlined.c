// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/inlined.h"

#include <dwarf.h>

#include "debug/dwarf/die.h"
#include "debug/dwarf/functions.h"
#include "debug/dwarf/dwarf.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/table.h"

/* Returns true if the inlined call DIE is of the function. ORIGIN is the offset of the function. */
static bool is_wanted(const struct inlined_search *search, struct table *known, struct unit *unit,
	uint64_t die, uint64_t origin)
{
	const uint64_t key[] = {(uintptr_t)unit->dwarf, origin};
	bool added;
	uint64_t *wanted = table_at(known, key, sizeof(key), &added);

	/* 0: the function is in dwz's file */
	if (added || !origin) {
		const struct call call = names_read_call(unit, die);

		*wanted = frame_names_is(search->names, search->strings, &call.names, search->word);
	}
	return *wanted;
}

/* KNOWN: function → it is wanted. */
static void read_call(
	const struct inlined_search *search, struct table *known, struct unit *unit, uint64_t die)
{
	struct attributes attributes;
	struct form_value value;
	struct code code = {};
	struct ranges ranges;
	uint64_t origin = 0, start, end;
	uint16_t name;

	if (!attributes_begin(unit, die, &attributes))
		return;
	while (attributes_next(&attributes, &name, &value))
		if (name != DW_AT_abstract_origin)
			(void)code_take(&code, name, &value);
		else if (!unit_reference(unit, &value, &origin))
			origin = 0;
	if (!is_wanted(search, known, unit, die, origin))
		return;
	ranges_begin(&ranges, unit, &code);
	if (ranges_next(&ranges, &start, &end))
		search->found(search->context, start);
}

static void read_unit(const struct inlined_search *search, struct table *known, struct unit *unit)
{
	struct walk walk = walk_from(unit, unit->first);

	while (cursor_left(&walk.cursor) && !stop_asked()) {
		uint64_t die = walk_offset(&walk);
		const struct abbrev *abbrev = walk_begin(&walk);

		if (!abbrev)
			continue;
		if (abbrev->kind == DIE_INLINED && abbrev->has_code)
			read_call(search, known, unit, die);
		if (abbrev->kind == DIE_OTHER && die != unit->first)
			walk_tree(&walk, abbrev);
		else
			walk_attributes(&walk, abbrev);
	}
}

void inlined_find(const struct inlined_search *search, struct dwarf *dwarf, struct splits *splits)
{
	scope_guard(table_deinit) struct table known = {};
	struct unit *unit;

	for (size_t i = 0; !stop_asked() && (unit = units_at(dwarf, i)); i++) {
		struct unit *code = splits_code(splits, unit);

		if (code)
			read_unit(search, &known, code);
		sections_release(dwarf->sections);
	}
}
