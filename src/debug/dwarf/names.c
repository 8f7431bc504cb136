// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>

#include "debug/dwarf/die.h"
#include "debug/symbols/demangle.h"

/* abstract origin, its specification, …: usually three at most; dwz adds none */
enum { ORIGINS_MAX = 16 };

/* const, pointer, const: from the type of `this` to the class */
enum { CLOSURE_STEPS_MAX = 5 };

static uint32_t small_number(const struct form_value *value)
{
	uint64_t number = form_constant(value);

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/*
 * Finds the position of a lambda from the type of OBJECT, its `this`. Lambdas have no name, and
 * their operator() has no linkage name if GCC only inlines it.
 */
static void find_closure(
	const struct unit *unit, const struct form_value *object, struct names *names)
{
	struct form_value next = *object, value;
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
 * Finds the DIE that ORIGIN refers to, and sets *UNIT to its unit, which may be in dwz's file.
 * Returns false if there is none.
 */
static bool follow(struct unit **unit, const struct form_value *origin, uint64_t *die_ret)
{
	struct dwarf *dwarf = (*unit)->dwarf;

	if (unit_refers_to_alt(origin)) {
		dwarf = unit_alt(*unit);
		*die_ret = origin->number;
	} else if (!unit_reference(*unit, origin, die_ret)) {
		return false;
	}
	*unit = dwarf ? units_holding(*unit, dwarf, *die_ret) : NULL;
	return *unit;
}

struct call names_read(struct unit *unit, uint64_t die, uint16_t file)
{
	struct call call = {.unit = unit, .file = UINT64_MAX};
	struct names *names = &call.names;
	struct attributes attributes;
	struct form_value value;
	uint16_t name;
	bool more = true;

	for (int i = 0; more && i < ORIGINS_MAX && attributes_begin(unit, die, &attributes); i++) {
		struct form_value own = {}, linkage = {}, origin = {}, object = {};

		while (attributes_next(&attributes, &name, &value)) {
			if (name == DW_AT_name) {
				own = value;
			} else if (name == DW_AT_linkage_name || name == DW_AT_MIPS_linkage_name) {
				linkage = value;
			} else if (name == DW_AT_abstract_origin || name == DW_AT_specification) {
				origin = value;
			} else if (name == DW_AT_object_pointer) {
				object = value;
			} else if (name == file && call.file == UINT64_MAX &&
				   form_is_constant(&value)) {
				call.file = value.number;
				call.unit = unit;
			} else if (name == file + 1 && !call.line) {
				call.line = small_number(&value);
			} else if (name == file - 1 && !call.column) {
				call.column = small_number(&value);
			}
		}
		if (!names->linkage) {
			if (!names->name)
				names->name = unit_string(unit, &own);
			names->linkage = unit_string(unit, &linkage);
			if (object.form)
				find_closure(unit, &object, names);
			more = !names->linkage && origin.form;
		}
		more |= file == DW_AT_decl_file && call.file == UINT64_MAX;
		more = more && follow(&unit, &origin, &die);
	}
	return call;
}
