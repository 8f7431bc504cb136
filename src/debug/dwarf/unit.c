// SPDX-License-Identifier: GPL-2.0-or-later

#include <dwarf.h>

#include "debug/dwarf/die.h"
#include "util/xalloc.h"

/* a header has at most 40 bytes; this usually includes the unit DIE */
enum { HEAD_LEN = 2048 };

struct unit *unit_create(struct dwarf *dwarf, uint64_t offset)
{
	struct slice info = sections_part(dwarf->sections, SECTION_INFO, offset, HEAD_LEN);
	struct cursor cursor = cursor_at(info, offset);
	struct encoding encoding = {.offset_size = cursor_enter_unit(&cursor)};

	encoding.version = (uint8_t)cursor_u16(&cursor);
	if (cursor.failed)
		return NULL;
	struct unit *unit = xnew(unit);
	unit->dwarf = dwarf;
	unit->offset = offset;
	unit->end = (uint64_t)(cursor.end - info.data);
	unit->line_offset = UINT64_MAX;
	if (encoding.version >= 5) {
		unit->type = cursor_u8(&cursor);
		encoding.address_size = cursor_u8(&cursor);
		unit->abbrev_offset = cursor_number(&cursor, encoding.offset_size);
	} else {
		unit->type = DW_UT_compile;
		unit->abbrev_offset = cursor_number(&cursor, encoding.offset_size);
		encoding.address_size = cursor_u8(&cursor);
	}
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) {
		unit->dwo_id = cursor_u64(&cursor);
		unit->has_dwo_id = true;
	} else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		cursor_skip(&cursor, 8 + encoding.offset_size);
	}
	if (cursor.failed || encoding.version < 2 || encoding.version > 5 ||
		unit->type > DW_UT_split_type ||
		(encoding.address_size != 4 && encoding.address_size != 8))
		unit->type = 0;
	unit->first = (uint64_t)(cursor.at - info.data);
	unit->encoding = encoding;
	return unit;
}

bool unit_read_abbrevs(struct unit *unit)
{
	if (!unit->abbrevs_read)
		unit->abbrevs = abbrev_cache_get(&unit->dwarf->abbrevs,
			sections_get(unit->dwarf->sections, SECTION_ABBREV), unit->abbrev_offset,
			&unit->encoding);
	unit->abbrevs_read = true;
	return unit->abbrevs;
}

bool unit_has_code(struct unit *unit)
{
	if (unit->type != DW_UT_compile && unit->type != DW_UT_skeleton)
		return false;
	unit_read_root(unit);
	return !unit->partial;
}

/* A unit DIE. Some values can be interpreted only after all are read. */
struct root {
	uint16_t tag;
	struct code code;
	struct form_value comp_dir, line, language;
	struct form_value str_offsets_base, addr_base, rnglists_base;
	struct form_value dwo_name, dwo_id, ranges_base;
};

/* Returns where ROOT keeps the value of attribute NAME, NULL if it is not needed. */
static struct form_value *root_value(struct root *root, uint16_t name)
{
	switch (name) {
	case DW_AT_comp_dir:
		return &root->comp_dir;
	case DW_AT_stmt_list:
		return &root->line;
	case DW_AT_language:
		return &root->language;
	case DW_AT_str_offsets_base:
		return &root->str_offsets_base;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return &root->addr_base;
	case DW_AT_rnglists_base:
		return &root->rnglists_base;
	case DW_AT_GNU_ranges_base:
		return &root->ranges_base;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return &root->dwo_name;
	case DW_AT_GNU_dwo_id:
		return &root->dwo_id;
	}
	return NULL;
}

static uint64_t section_offset(const struct form_value *value, uint64_t missing)
{
	switch (value->form) {
	case DW_FORM_sec_offset:
	case DW_FORM_data4:
	case DW_FORM_data8:
		return value->number;
	}
	return missing;
}

/*
 * Returns the base of offsets in a split unit's part of a section: the size of the header, which
 * exists since DWARF 5.
 */
static uint64_t split_base(const struct unit *unit, unsigned header_size)
{
	if (!unit->dwarf->split || unit->encoding.version < 5)
		return 0;
	return header_size + (unit->encoding.offset_size == 8 ? 8u : 0);
}

/*
 * Finds the attribute specifications of abbreviation CODE in the table at OFFSET, without preparing
 * the table. Returns false if it is not among the first abbreviations.
 */
static bool find_specs(struct slice section, uint64_t offset, uint64_t code, struct attributes *ret)
{
	/* bytes; gcc numbers codes by frequency, so that of the unit DIE can come late */
	enum { LOOK_MAX = 8192 };
	struct cursor cursor = cursor_at(section, offset);
	struct abbrev_spec spec;

	if (cursor_left(&cursor) > LOOK_MAX)
		cursor.end = cursor.at + LOOK_MAX;
	for (;;) {
		uint64_t found = cursor_uleb(&cursor), tag = cursor_uleb(&cursor);

		cursor_u8(&cursor);
		if (cursor.failed || !found)
			return false;
		if (found == code) {
			ret->specs = cursor;
			ret->specs.end = section.data + section.len;
			ret->tag = (uint16_t)tag;
			return true;
		}
		while (abbrev_next_spec(&cursor, &spec))
			;
	}
}

/*
 * Reads the unit DIE at CURSOR. Returns false if it does not end before
 * CURSOR does.
 */
static bool read_values(struct unit *unit, struct cursor cursor, struct root *ret)
{
	struct slice section = sections_get(unit->dwarf->sections, SECTION_ABBREV);
	const struct cursor die = cursor;
	uint64_t code = cursor_uleb(&cursor);
	struct attributes attributes = {.values = cursor, .encoding = &unit->encoding};
	struct form_value value;
	uint16_t name;

	if (!code || cursor.failed)
		return false;
	/* if possible, without preparing the whole abbreviation table */
	if (!find_specs(section, unit->abbrev_offset, code, &attributes) &&
		(!unit_read_abbrevs(unit) || !attributes_at(unit, die, &attributes)))
		return false;
	*ret = (struct root){};
	while (attributes_next(&attributes, &name, &value)) {
		struct form_value *kept = root_value(ret, name);

		if (kept)
			*kept = value;
		else
			code_take(&ret->code, name, &value);
	}
	ret->tag = attributes.tag;
	return !attributes.values.failed;
}

void unit_read_root(struct unit *unit)
{
	struct root root;
	struct ranges ranges;
	uint64_t start, end;

	if (unit->root_read)
		return;
	unit->root_read = true;
	unit->partial = true;
	/* first in the bytes that were inflated with the header */
	if (!read_values(unit, unit_head(unit, unit->first, HEAD_LEN), &root) &&
		!read_values(unit, unit_cursor(unit, unit->first), &root))
		return;
	unit->partial = root.tag != DW_TAG_compile_unit && root.tag != DW_TAG_skeleton_unit;
	/* the bases first, because other values depend on them */
	unit->str_offsets_base = section_offset(&root.str_offsets_base, split_base(unit, 8));
	unit->addr_base = section_offset(&root.addr_base, 0);
	unit->rnglists_base = section_offset(&root.rnglists_base, split_base(unit, 12));
	unit->low_pc = unit->skeleton ? unit->skeleton->low_pc : 0;
	unit->line_offset = section_offset(&root.line, UINT64_MAX);
	unit->comp_dir = unit_string(unit, &root.comp_dir);
	unit->language = (uint16_t)form_constant(&root.language);
	unit_address(unit, &root.code.low, &unit->low_pc);
	if (form_is_constant(&root.dwo_id)) {
		unit->dwo_id = root.dwo_id.number;
		unit->has_dwo_id = true;
	}
	if (!unit->dwarf->split) {
		unit->dwo_name = unit_string(unit, &root.dwo_name);
		unit->ranges_base = section_offset(&root.ranges_base, 0);
		/* before DWARF 5, a skeleton is a compilation unit with the name of a .dwo file */
		if (root.dwo_name.form && unit->encoding.version < 5)
			unit->type = DW_UT_skeleton;
	}
	ranges_begin(&ranges, unit, &root.code);
	while (ranges_next(&ranges, &start, &end))
		range_map_add(&unit->own, start, end, 0, 0);
	range_map_finish(&unit->own);
}
