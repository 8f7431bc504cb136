// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/functions.h"

#include <dwarf.h>

#include "debug/dwarf/die.h"
#include "model/declaration.h"

/*
 * Limits for one prototype: steps (a DIE passed, 16 bytes of DIEs, or an attribute read), and DIEs
 * in a chain of origins.
 */
enum { STEPS_MAX = 1 << 16, STEP_BYTES = 16, ORIGINS_MAX = 16 };

/* newer than elfutils 0.188 */
enum { LANG_C17 = 0x2c, LANG_C23 = 0x3e };

/* IDs of types: the offset of a DIE, with IN_ALT in dwz's file, or one of ID_VOID and ID_SELF. */
#define IN_ALT ((uint64_t)1 << 63)
#define ID_VOID UINT64_MAX
#define ID_SELF (UINT64_MAX - 1)

/* The attributes of a DIE that prototypes need. IDs are ID_VOID if absent. */
struct described {
	struct unit *unit; /* the DIE's unit */
	uint16_t tag;
	const char *name;			/* NULL if none */
	uint64_t type, abstract, specification; /* IDs */
	/* number of elements of an array's dimension, 0 if unknown */
	uint64_t count;
	bool children;
	uint64_t first; /* ID of the first child, if CHILDREN */
};

struct prototype {
	struct unit *unit; /* the function's unit */
	uint64_t steps;
	bool broken;	     /* something could not be read, or takes too long */
	uint64_t result;     /* ID of the type that the function returns */
	uint64_t parameters; /* ID of the first child of their DIE, ID_VOID if none */
};

/* Returns the unit of the DIE with this ID, NULL if there is none. */
static struct unit *unit_of(const struct prototype *prototype, uint64_t id)
{
	struct dwarf *dwarf = id & IN_ALT ? prototype->unit->dwarf->alt : prototype->unit->dwarf;

	return dwarf ? units_holding(prototype->unit, dwarf, id & ~IN_ALT) : NULL;
}

/* Returns the ID of the DIE that VALUE refers to. VALUE is an attribute of the DIE with ID. */
static uint64_t refer(struct prototype *prototype, const struct unit *unit, uint64_t id,
	const struct form_value *value)
{
	uint64_t offset = value->number;

	if (unit_refers_to_alt(value) && !(id & IN_ALT))
		id |= IN_ALT;
	else if (!unit_reference(unit, value, &offset))
		prototype->broken = true;
	if (offset >= IN_ALT - 2)
		prototype->broken = true;
	return prototype->broken ? ID_VOID : offset | (id & IN_ALT);
}

static void take_steps(struct prototype *prototype, uint64_t n)
{
	prototype->steps += n;
	prototype->broken |= prototype->steps > STEPS_MAX;
}

static bool describe(struct prototype *prototype, uint64_t id, struct described *ret)
{
	struct attributes attributes;
	struct form_value value;
	uint16_t name;

	*ret = (struct described){.unit = unit_of(prototype, id),
		.type = ID_VOID,
		.abstract = ID_VOID,
		.specification = ID_VOID};
	if (!ret->unit || !attributes_begin(ret->unit, id & ~IN_ALT, &attributes))
		return !(prototype->broken = true);
	ret->tag = attributes.tag;
	ret->children = attributes.children;
	while (!prototype->broken && attributes_next(&attributes, &name, &value)) {
		switch (name) {
		case DW_AT_name:
			ret->name = unit_string(ret->unit, &value);
			break;
		case DW_AT_type:
			ret->type = refer(prototype, ret->unit, id, &value);
			break;
		case DW_AT_abstract_origin:
			ret->abstract = refer(prototype, ret->unit, id, &value);
			break;
		case DW_AT_specification:
			ret->specification = refer(prototype, ret->unit, id, &value);
			break;
		case DW_AT_count:
			ret->count = form_constant(&value);
			break;
		case DW_AT_upper_bound:
			ret->count = form_is_constant(&value) ? value.number + 1 : 0;
			break;
		}
		take_steps(prototype, 1);
	}
	prototype->broken |= attributes.values.failed;
	const uint8_t *start = unit_cursor(ret->unit, id & ~IN_ALT).at;
	ret->first = id + (uint64_t)(attributes.values.at - start);
	return !prototype->broken;
}

/*
 * Finds the next sibling with one of the two tags, from *AT on; with STARTED, after *AT. Sets *AT
 * to its ID. Returns false if there is none.
 */
static bool next_sibling(
	struct prototype *prototype, uint64_t *at, bool started, const uint16_t tags[2])
{
	const struct unit *unit = unit_of(prototype, *at);
	struct walk walk = unit ? walk_from(unit, *at & ~IN_ALT) : (struct walk){};
	uint64_t depth = 0;

	if (!walk.base)
		return !(prototype->broken = true);
	for (;; started = false) {
		uint64_t here = walk_offset(&walk) | (*at & IN_ALT);
		const uint8_t *from = walk.cursor.at;
		const struct abbrev *abbrev = walk_begin(&walk);

		prototype->broken |= walk.cursor.failed;
		if (prototype->broken)
			return false;
		if (!abbrev && !depth--)
			return false;
		bool fits = abbrev && (abbrev->tag == tags[0] || abbrev->tag == tags[1]);
		if (fits && !depth && !started) {
			*at = here;
			return true;
		}
		depth += abbrev && !walk_past(&walk, abbrev);
		take_steps(prototype, 1 + (uint64_t)(walk.cursor.at - from) / STEP_BYTES);
	}
}

/* Sets the C declaration for a type's tag. Other tags have none. */
static void set_kind(uint16_t tag, struct declared_type *ret)
{
	static const struct {
		uint16_t tag;
		enum declared_kind kind;
		const char *word;
	} kinds[] = {
		{DW_TAG_base_type, DECLARED_NAME, ""},
		{DW_TAG_typedef, DECLARED_NAME, ""},
		{DW_TAG_structure_type, DECLARED_NAME, "struct "},
		{DW_TAG_union_type, DECLARED_NAME, "union "},
		{DW_TAG_enumeration_type, DECLARED_NAME, "enum "},
		{DW_TAG_const_type, DECLARED_QUALIFIER, "const "},
		{DW_TAG_volatile_type, DECLARED_QUALIFIER, "volatile "},
		{DW_TAG_restrict_type, DECLARED_QUALIFIER, "restrict "},
		{DW_TAG_pointer_type, DECLARED_POINTER, ""},
		{DW_TAG_array_type, DECLARED_ARRAY, ""},
		{DW_TAG_subroutine_type, DECLARED_FUNCTION, ""},
	};

	array_each(kind, kinds, array_len(kinds)) {
		if (kind->tag != tag)
			continue;
		ret->kind = kind->kind;
		ret->word = kind->word;
	}
}

static bool read_type(void *context, uint64_t id, struct declared_type *ret)
{
	static const struct declared_type nothing = {DECLARED_NAME, .word = "", .name = "void"};
	static const uint16_t dimensions[] = {DW_TAG_subrange_type, DW_TAG_subrange_type};
	struct prototype *prototype = context;
	struct described type, dimension;

	if (id == ID_VOID) {
		*ret = nothing;
		return true;
	}
	if (id == ID_SELF) {
		*ret = (struct declared_type){.kind = DECLARED_FUNCTION,
			.inner = prototype->result,
			.next = prototype->parameters};
		return true;
	}
	if (!describe(prototype, id, &type))
		return false;
	set_kind(type.tag, ret);
	ret->name = type.name ?: "";
	ret->inner = type.type;
	ret->next = type.children ? type.first : ID_VOID;
	if (ret->kind != DECLARED_ARRAY)
		return true;
	/* like pahole: multiplies the dimensions; the result is 0 if one of them is unknown */
	uint64_t at = type.first, count = 1;
	for (bool started = false;
		type.children && next_sibling(prototype, &at, started, dimensions) &&
		describe(prototype, at, &dimension);
		started = true)
		count *= dimension.count;
	ret->count = (uint32_t)count;
	return true;
}

static bool read_parameter(
	void *context, struct declared_type *function, struct declared_parameter *ret)
{
	static const uint16_t tags[] = {DW_TAG_formal_parameter, DW_TAG_unspecified_parameters};
	struct described parameter;

	if (function->next == ID_VOID ||
		!next_sibling(context, &function->next, function->started, tags) ||
		!describe(context, function->next, &parameter))
		return false;
	function->started = true;
	ret->name = parameter.name ?: "";
	ret->type = parameter.type;
	ret->more = parameter.tag == DW_TAG_unspecified_parameters;
	return true;
}

/*
 * Returns true for C. pahole writes other languages in ways of its own, and assembly has no
 * parameters.
 */
static bool is_c(uint16_t language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
	case LANG_C23:
		return true;
	}
	return false;
}

bool prototype_read(struct unit *unit, uint64_t die, const char *name, struct text *ret)
{
	struct prototype prototype = {.unit = unit, .result = ID_VOID, .parameters = ID_SELF};
	const struct declaration_source source = {&prototype, read_type, read_parameter};
	auto_text struct text all = {};
	struct described at;
	const char *found = NULL;

	if (!is_c(unit->language))
		return false;
	/* abstract origins have all attributes; specifications have the name and return type */
	for (int i = 0; i < ORIGINS_MAX && !found && die != ID_VOID; i++) {
		if (!describe(&prototype, die, &at))
			return false;
		if (at.abstract == ID_VOID && prototype.parameters == ID_SELF)
			prototype.parameters = at.children ? at.first : ID_VOID;
		if (prototype.result == ID_VOID)
			prototype.result = at.type;
		found = at.name;
		die = at.abstract != ID_VOID ? at.abstract : at.specification;
	}
	if (!found || strcmp(found, name) != 0)
		return false;
	text_add_string(&all, name);
	if (!declaration_print(&source, ID_SELF, &all) || prototype.broken)
		return false;
	text_add(ret, all.data, all.len);
	return true;
}
