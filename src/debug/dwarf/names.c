// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/names.h"

#include <dwarf.h>
#include <string.h>

#include "debug/dwarf/unit_index.h"
#include "debug/dwarf/unit_root.h"
#include "debug/symbols/demangle.h"

/* Abstract origin, its specification, ...: three are usual, dwz adds none. */
enum { ORIGINS_MAX = 16 };

/* const, pointer, const: what leads from the type of `this` to the class. */
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
 * Lambdas have no name, and their operator() no linkage name if GCC only inlines it: the class is found by the type of
 * what it is called for.
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

/* Adds what one DIE says; true if there is a reason to go on to its origin. */
static bool add_names(const struct unit *unit, const struct naming *naming, struct names *names)
{
	if (!names->name)
		names->name = unit_string(unit, &naming->name);
	names->linkage = unit_string(unit, &naming->linkage);
	if (naming->object.form)
		find_closure(unit, naming, names);
	return !names->linkage && naming->origin.form;
}

/*
 * The DIE that NAMING's origin means, in UNIT or in another unit, which UNIT then becomes: of the
 * same file, or of dwz's.
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
	if (!dwarf)
		return false;
	if (dwarf != (*unit)->dwarf || *die_ret < (*unit)->offset || *die_ret >= (*unit)->end) {
		*unit = unit_index_holding(dwarf->units, *die_ret);
		if (*unit)
			unit_read_root(*unit); /* its strings may count from a base */
	}
	return *unit && unit_read_abbrevs(*unit);
}

static void name_origin(struct unit *unit, const struct naming *first, struct names *names)
{
	struct naming naming = *first;
	struct attributes attributes;
	struct form_value value;
	uint64_t die;
	uint16_t name;

	for (int i = 1; i < ORIGINS_MAX && follow(&unit, &naming, &die) &&
			attributes_begin(unit, die, &attributes);
		i++) {
		naming = (struct naming){};
		while (attributes_next(&attributes, &name, &value))
			take_name(&naming, name, &value);
		if (!add_names(unit, &naming, names))
			return;
	}
}

static void take_call(struct call *call, uint16_t name, const struct form_value *value)
{
	switch (name) {
	case DW_AT_call_file:
		if (form_is_constant(value))
			call->file = value->number;
		break;
	case DW_AT_call_line:
		call->line = small_number(value);
		break;
	case DW_AT_call_column:
		call->column = small_number(value);
		break;
	}
}

struct call names_read_call(struct unit *unit, uint64_t die)
{
	struct call call = {.file = UINT64_MAX};
	struct naming naming = {};
	struct attributes attributes;
	struct form_value value;
	uint16_t name;

	if (!attributes_begin(unit, die, &attributes))
		return call;
	while (attributes_next(&attributes, &name, &value)) {
		take_name(&naming, name, &value);
		take_call(&call, name, &value);
	}
	if (add_names(unit, &naming, &call.names))
		name_origin(unit, &naming, &call.names);
	return call;
}

struct names names_read(struct unit *unit, uint64_t die)
{
	return names_read_call(unit, die).names;
}

struct call names_read_variable(struct unit **unit, uint64_t die)
{
	struct call declared = {.file = UINT64_MAX};
	struct unit *at = *unit;
	struct attributes attributes;
	struct form_value value;
	uint16_t name;

	for (int i = 0; i < ORIGINS_MAX && attributes_begin(at, die, &attributes); i++) {
		struct naming naming = {};

		while (attributes_next(&attributes, &name, &value)) {
			take_name(&naming, name, &value);
			if (name == DW_AT_decl_line && !declared.line)
				declared.line = small_number(&value);
			if (name != DW_AT_decl_file || declared.file != UINT64_MAX ||
				!form_is_constant(&value))
				continue;
			declared.file = value.number;
			*unit = at;
		}
		if (!declared.names.linkage)
			add_names(at, &naming, &declared.names);
		if (!naming.origin.form || !follow(&at, &naming, &die))
			break;
	}
	return declared;
}
