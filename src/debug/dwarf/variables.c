// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/variables.h"

#include <dwarf.h>

#include "debug/dwarf/unit_root.h"
#include "debug/dwarf/walk.h"
#include "util/order.h"
#include "util/radix.h"
#include "util/stop.h"

/* bytes of .debug_info that may stay inflated while it is read */
enum { KEPT_MAX = 32 << 20 };

void variables_deinit(struct variables *variables)
{
	vec_deinit(&variables->all);
}

/* Reads LOCATION of a variable in UNIT. Returns false if it is not just a fixed address. */
static bool read_location(const struct unit *unit, const struct form_value *location, uint64_t *ret)
{
	if (!location->bytes)
		return false;
	struct cursor cursor = {location->bytes, location->bytes + location->number, false};

	switch (cursor_u8(&cursor)) {
	case DW_OP_addr:
		*ret = cursor_number(&cursor, unit->encoding.address_size);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!unit_indexed_address(unit, cursor_uleb(&cursor), ret))
			return false;
		break;
	default:
		return false;
	}
	return !cursor.failed && !cursor_left(&cursor);
}

static void add_variable(struct variables *variables, struct unit *unit, uint64_t die)
{
	struct variable variable = {.die = die, .unit = unit};
	struct attributes attributes;
	struct form_value value;
	uint16_t name;

	if (!attributes_begin(unit, die, &attributes))
		return;
	while (attributes_next(&attributes, &name, &value))
		/* linkers move discarded variables to 0 */
		if (name == DW_AT_location && read_location(unit, &value, &variable.address) &&
			variable.address)
			vec_push(&variables->all, variable);
}

static void read_unit(struct variables *variables, struct unit *unit)
{
	struct walk walk = walk_from(unit, unit->first);

	while (cursor_left(&walk.cursor) && !stop_asked()) {
		uint64_t die = walk_offset(&walk);
		const struct abbrev *abbrev = walk_begin(&walk);

		if (!abbrev)
			continue;
		if (abbrev->tag == DW_TAG_variable)
			add_variable(variables, unit, die);
		/* types contain no variables with addresses; the unit DIE contains all others */
		if (abbrev->kind == DIE_TYPE || (abbrev->kind == DIE_OTHER && die != unit->first))
			walk_tree(&walk, abbrev);
		else
			walk_attributes(&walk, abbrev);
	}
}

static void read_all(struct variables *variables, struct unit_index *units)
{
	struct unit *unit;

	variables->read = true;
	for (size_t i = 0; !stop_asked() && (unit = unit_index_at(units, i)); i++) {
		if (unit->type != DW_UT_compile)
			continue;
		unit_read_root(unit);
		if (!unit->partial && unit_read_abbrevs(unit))
			read_unit(variables, unit);
		sections_release(unit->dwarf->sections, SECTION_INFO, KEPT_MAX);
	}
	radix_sort(variables->all.data, variables->all.len, sizeof(*variables->all.data));
}

const struct variable *variables_find(
	struct variables *variables, struct unit_index *units, uint64_t address)
{
	if (!variables->read)
		read_all(variables, units);
	size_t at = sorted_count(variables->all.data, variables->all.len, .address < address);
	if (at == variables->all.len || variables->all.data[at].address != address)
		return NULL;
	return &variables->all.data[at];
}
