// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/die.h"

#include <dwarf.h>
#include <stddef.h>
#include <string.h>

#include "debug/symbols/demangle.h"

/* Abstract origin, its specification, … : three are usual, dwz adds none. */
enum { ORIGINS_MAX = 16 };
/* const, pointer, const: what leads from the type of `this` to the class. */
enum { CLOSURE_STEPS_MAX = 5 };

/*
 * From the null entry at OFFSET, which ends a list of siblings, up to what follows the parent.
 * dwarf_offdie() knows where the unit ends: beyond, the DIE is another unit's, or none.
 */
static bool climb(struct die_cursor *cursor, Dwarf_Off offset)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cursor->die.cu);
	Dwarf_Die next;

	while (cursor->depth) {
		cursor->depth--;
		if (!dwarf_offdie(dwarf, ++offset, &next) || next.cu != cursor->die.cu)
			return false;
		if (*(const unsigned char *)next.addr) {
			cursor->die = next;
			return true;
		}
	}
	return false;
}

bool die_next(struct die_cursor *cursor, bool enter)
{
	Dwarf_Die next = {};

	if (enter && cursor->depth < DIE_DEPTH_MAX && dwarf_haschildren(&cursor->die) == 1 &&
		dwarf_child(&cursor->die, &next) == 0) {
		cursor->depth++;
		cursor->die = next;
		return true;
	}
	int end = dwarf_siblingof(&cursor->die, &next);
	if (end == 0) {
		bool forward = (char *)next.addr > (char *)cursor->die.addr;

		cursor->die = next;
		return forward;
	}
	if (end < 0 || !next.addr)
		return false;
	ptrdiff_t distance = (char *)next.addr - (char *)cursor->die.addr;
	return climb(cursor, dwarf_dieoffset(&cursor->die) + (Dwarf_Off)distance);
}

struct die_attributes {
	Dwarf_Attribute name, linkage, origin; /* cu NULL: not there */
};

static int collect(Dwarf_Attribute *attribute, void *arg)
{
	struct die_attributes *attributes = arg;

	switch (attribute->code) {
	case DW_AT_name:
		attributes->name = *attribute;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		attributes->linkage = *attribute;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		attributes->origin = *attribute;
		break;
	}
	return DWARF_CB_OK;
}

/*
 * Reads all attributes of DIE. Going through to the last makes libdw check that inline strings
 * (DW_FORM_string) end inside the unit, which dwarf_formstring() does not.
 */
static bool read_attributes(Dwarf_Die *die, struct die_attributes *ret)
{
	*ret = (struct die_attributes){};
	return dwarf_getattrs(die, collect, ret, 0) == 1;
}

static const char *string_of(Dwarf_Attribute *attribute)
{
	return attribute->cu ? dwarf_formstring(attribute) : NULL;
}

/* As in dwarf/names.c. */
static void find_closure(Dwarf_Die *die, struct names *names)
{
	Dwarf_Attribute link;
	Dwarf_Die at;

	if (!demangle_may_be_closure(names->linkage, names->name) ||
		!dwarf_attr_integrate(die, DW_AT_object_pointer, &link) ||
		!dwarf_formref_die(&link, &at) ||
		(!names->linkage && !demangle_is_closure_parameter(dwarf_diename(&at))))
		return;
	for (int i = 1; i < CLOSURE_STEPS_MAX; i++) {
		if (!dwarf_attr(&at, DW_AT_type, &link) || !dwarf_formref_die(&link, &at) ||
			dwarf_hasattr(&at, DW_AT_name))
			return;
		if (dwarf_tag(&at) != DW_TAG_class_type && dwarf_tag(&at) != DW_TAG_structure_type)
			continue;
		names->closure_line = (uint32_t)die_number(&at, DW_AT_decl_line);
		names->closure_column = (uint32_t)die_number(&at, DW_AT_decl_column);
		return;
	}
}

struct names die_names(Dwarf_Die *die)
{
	struct names names = {};
	struct die_attributes attributes;
	Dwarf_Die at = *die;

	for (int i = 0; i < ORIGINS_MAX && read_attributes(&at, &attributes); i++) {
		if (!names.name)
			names.name = string_of(&attributes.name);
		names.linkage = string_of(&attributes.linkage);
		if (names.linkage || !attributes.origin.cu ||
			!dwarf_formref_die(&attributes.origin, &at))
			break;
	}
	find_closure(die, &names);
	return names;
}

uint64_t die_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	return dwarf_attr(die, attribute, &found) && !dwarf_formudata(&found, &number) ? number : 0;
}

struct wanted_attribute {
	unsigned code;
	Dwarf_Attribute found;
};

static int match(Dwarf_Attribute *attribute, void *arg)
{
	struct wanted_attribute *wanted = arg;

	if (attribute->code == wanted->code)
		wanted->found = *attribute;
	return DWARF_CB_OK;
}

const char *die_string(Dwarf_Die *die, unsigned attribute)
{
	struct wanted_attribute wanted = {.code = attribute};

	return dwarf_getattrs(die, match, &wanted, 0) == 1 ? string_of(&wanted.found) : NULL;
}

bool die_ranges_next(struct die_ranges *ranges, uint64_t *start_ret, uint64_t *end_ret)
{
	Dwarf_Addr start, end;

	if (!ranges->offset && !dwarf_hasattr(ranges->die, DW_AT_low_pc) &&
		!dwarf_hasattr(ranges->die, DW_AT_ranges))
		return false;
	while (*ranges->budget) {
		ranges->offset =
			dwarf_ranges(ranges->die, ranges->offset, &ranges->base, &start, &end);
		if (ranges->offset <= 0)
			return false;
		--*ranges->budget;
		if (start <= 1 || start >= end || start >= UINT64_MAX - 1)
			continue;
		*start_ret = start;
		*end_ret = end;
		return true;
	}
	return false;
}
