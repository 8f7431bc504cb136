// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>
#include <string.h>

#include "debug/dwarf/die.h"
#include "debug/symbols/demangle.h"
#include "util/sort.h"
#include "util/stop.h"

/* abstract origin, its specification, …: usually three at most; dwz adds none */
enum { ORIGINS_MAX = 16 };

/* const, pointer, const: from the type of `this` to the class */
enum { CLOSURE_STEPS_MAX = 5 };

struct naming {
	struct form_value name, linkage, origin;
	struct form_value object; /* DW_AT_object_pointer */
};

static void take_name(struct naming *naming, uint16_t name, const struct form_value *value)
{
	switch (name) {
	case DW_AT_name:
		naming->name = *value;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		naming->linkage = *value;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		naming->origin = *value;
		break;
	case DW_AT_object_pointer:
		naming->object = *value;
		break;
	}
}

static uint32_t small_number(const struct form_value *value)
{
	uint64_t number = form_constant(value);

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/*
 * Finds the position of a lambda from the type of its `this`. Lambdas have no name, and their
 * operator() has no linkage name if GCC only inlines it.
 */
static void find_closure(const struct unit *unit, const struct naming *naming, struct names *names)
{
	struct form_value next = naming->object, value;
	struct attributes attributes;
	uint64_t die;
	uint16_t attribute;

	if (!demangle_may_be_closure(names->linkage, names->name))
		return;
	for (int i = 0;
		i < CLOSURE_STEPS_MAX && unit_reference(unit, &next, &die) && die >= unit->offset &&
		die < unit->end && attributes_begin(unit, die, &attributes);
		i++) {
		bool named = false, closure = false;
		uint32_t line = 0, column = 0;

		next = (struct form_value){};
		while (attributes_next(&attributes, &attribute, &value)) {
			named |= attribute == DW_AT_name && i;
			closure |= attribute == DW_AT_name &&
				   demangle_is_closure_parameter(unit_string(unit, &value));
			if (attribute == DW_AT_type)
				next = value;
			else if (attribute == DW_AT_decl_line)
				line = small_number(&value);
			else if (attribute == DW_AT_decl_column)
				column = small_number(&value);
		}
		if (!i && !names->linkage && !closure)
			return;
		if (named || attributes.tag == DW_TAG_class_type ||
			attributes.tag == DW_TAG_structure_type) {
			names->closure_line = named ? 0 : line;
			names->closure_column = named ? 0 : column;
			return;
		}
	}
}

/*
 * Finds the DIE of NAMING's origin, and sets *UNIT to its unit, which may be in dwz's file. Returns
 * false if there is none.
 */
static bool follow(struct unit **unit, const struct naming *naming, uint64_t *die_ret)
{
	struct dwarf *dwarf = (*unit)->dwarf;

	if (unit_refers_to_alt(&naming->origin)) {
		dwarf = unit_alt(*unit);
		*die_ret = naming->origin.number;
	} else if (!unit_reference(*unit, &naming->origin, die_ret)) {
		return false;
	}
	*unit = dwarf ? units_holding(*unit, dwarf, *die_ret) : NULL;
	return *unit;
}

/*
 * Reads the names and position of DIE, completed from its origins: the first of each counts. FILE
 * is DW_AT_call_file or DW_AT_decl_file: the attributes of line and column have the numbers after
 * and before it. Sets *UNIT to the unit of the DIE that has the attribute FILE.
 */
static struct call read_chain(struct unit **unit, uint64_t die, uint16_t file)
{
	struct call call = {.file = UINT64_MAX};
	struct names *names = &call.names;
	struct unit *at = *unit;
	struct attributes attributes;
	struct form_value value;
	uint16_t name;
	bool more = true;

	for (int i = 0; more && i < ORIGINS_MAX && attributes_begin(at, die, &attributes); i++) {
		struct naming naming = {};

		while (attributes_next(&attributes, &name, &value)) {
			take_name(&naming, name, &value);
			if (name == file && call.file == UINT64_MAX && form_is_constant(&value)) {
				call.file = value.number;
				*unit = at;
			} else if (name == file + 1 && !call.line) {
				call.line = small_number(&value);
			} else if (name == file - 1 && !call.column) {
				call.column = small_number(&value);
			}
		}
		if (!names->linkage) {
			if (!names->name)
				names->name = unit_string(at, &naming.name);
			names->linkage = unit_string(at, &naming.linkage);
			if (naming.object.form)
				find_closure(at, &naming, names);
			more = !names->linkage && naming.origin.form;
		}
		more |= file == DW_AT_decl_file && call.file == UINT64_MAX;
		more = more && follow(&at, &naming, &die);
	}
	return call;
}

struct call names_read_call(struct unit *unit, uint64_t die)
{
	return read_chain(&unit, die, DW_AT_call_file);
}

/* Variables. */

/* Reads LOCATION of a variable in UNIT. Returns false if it is not just a fixed address. */
static bool read_location(
	const struct unit *unit, const struct form_value *location, bool big, uint64_t *ret)
{
	if (!location->bytes)
		return false;
	struct cursor cursor = {location->bytes, location->bytes + location->number, false, big};

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
		if (name == DW_AT_location &&
			read_location(unit, &value, attributes.values.big, &variable.address) &&
			variable.address)
			vec_push(&variables->all, variable);
}

static void read_all(struct variables *variables, struct dwarf *dwarf, struct splits *splits)
{
	struct unit *unit;

	variables->read = true;
	for (size_t i = 0; (unit = splits_next(splits, dwarf, &i));) {
		struct walk walk = walk_from(unit, unit->first);

		while (cursor_left(&walk.cursor) && !stop_asked()) {
			uint64_t die = walk_offset(&walk);
			const struct abbrev *abbrev = walk_begin(&walk);

			if (!abbrev)
				continue;
			if (abbrev->tag == DW_TAG_variable)
				add_variable(variables, unit, die);
			/* no type contains variables with addresses; the unit DIE has all others */
			if (abbrev->kind == DIE_TYPE ||
				(abbrev->kind == DIE_OTHER && die != unit->first))
				walk_tree(&walk, abbrev);
			else
				walk_attributes(&walk, abbrev);
		}
	}
	radix_sort(variables->all.data, variables->all.len, sizeof(*variables->all.data));
}

bool variables_find(struct variables *variables, struct dwarf *dwarf, struct splits *splits,
	uint64_t address, struct unit **unit_ret, struct call *ret)
{
	/* as add_variable() keeps none at 0, the per-CPU start of a vmlinux needs no reading */
	if (!address)
		return false;
	if (!variables->read)
		read_all(variables, dwarf, splits);
	size_t at = sorted_count(variables->all.data, variables->all.len, .address < address);
	if (at == variables->all.len || variables->all.data[at].address != address)
		return false;
	*unit_ret = variables->all.data[at].unit;
	*ret = read_chain(unit_ret, variables->all.data[at].die, DW_AT_decl_file);
	return true;
}
