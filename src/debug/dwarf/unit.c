// SPDX-License-Identifier: GPL-2.0-or-later

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"

/* a header has at most 40 bytes; this usually includes the unit DIE */
enum { HEAD_LEN = 2048 };

void unit_deinit(struct unit *unit)
{
	range_map_deinit(&unit->own);
	if (unit->split)
		unit_deinit(unit->split);
	free(unit->split);
}

/* Reads the fields after the version. */
static void read_header_rest(struct cursor *cursor, struct unit *unit)
{
	struct encoding *encoding = &unit->encoding;

	unit->type = DW_UT_compile;
	if (encoding->version >= 5) {
		unit->type = cursor_u8(cursor);
		encoding->address_size = cursor_u8(cursor);
		unit->abbrev_offset = cursor_number(cursor, encoding->offset_size);
	} else {
		unit->abbrev_offset = cursor_number(cursor, encoding->offset_size);
		encoding->address_size = cursor_u8(cursor);
	}
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) {
		unit->dwo_id = cursor_u64(cursor);
		unit->has_dwo_id = true;
	} else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		cursor_skip(cursor, 8 + encoding->offset_size);
	}
	if (cursor->failed || unit->type > DW_UT_split_type ||
		(encoding->address_size != 4 && encoding->address_size != 8))
		unit->type = 0;
}

bool unit_read_header(struct dwarf *dwarf, uint64_t offset, struct unit *ret)
{
	struct slice info = sections_part(dwarf->sections, SECTION_INFO, offset, HEAD_LEN);
	struct cursor cursor = cursor_at(info, offset);
	struct unit unit = {.dwarf = dwarf, .offset = offset, .line_offset = UINT64_MAX};

	cursor_enter_unit(&cursor, &unit.encoding.offset_size);
	unit.encoding.version = (uint8_t)cursor_u16(&cursor);
	if (cursor.failed)
		return false;
	unit.end = (uint64_t)(cursor.end - info.data);
	if (unit.encoding.version >= 2 && unit.encoding.version <= 5)
		read_header_rest(&cursor, &unit);
	unit.first = (uint64_t)(cursor.at - info.data);
	*ret = unit;
	return true;
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

/* Values of a unit DIE. Some can be interpreted only after all are read. */
struct root {
	struct code code;
	struct form_value comp_dir, line, language;
	struct form_value str_offsets_base, addr_base, rnglists_base;
	struct form_value dwo_name, dwo_id, ranges_base;
};

static void take_value(struct root *root, uint16_t name, const struct form_value *value)
{
	if (code_take(&root->code, name, value))
		return;
	switch (name) {
	case DW_AT_comp_dir:
		root->comp_dir = *value;
		break;
	case DW_AT_stmt_list:
		root->line = *value;
		break;
	case DW_AT_language:
		root->language = *value;
		break;
	case DW_AT_str_offsets_base:
		root->str_offsets_base = *value;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		root->addr_base = *value;
		break;
	case DW_AT_rnglists_base:
		root->rnglists_base = *value;
		break;
	case DW_AT_GNU_ranges_base:
		root->ranges_base = *value;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		root->dwo_name = *value;
		break;
	case DW_AT_GNU_dwo_id:
		root->dwo_id = *value;
		break;
	}
}

/*
 * Finds the attributes of the unit DIE at CURSOR, if possible without preparing the whole
 * abbreviation table.
 */
static bool root_attributes(struct unit *unit, struct cursor cursor, struct attributes *ret)
{
	struct slice section = sections_get(unit->dwarf->sections, SECTION_ABBREV);
	const struct cursor die = cursor;
	uint64_t code = cursor_uleb(&cursor);

	*ret = (struct attributes){.values = cursor, .encoding = &unit->encoding};
	if (!code || cursor.failed)
		return false;
	if (abbrev_find_specs(section, unit->abbrev_offset, code, &ret->specs, &ret->tag))
		return true;
	return unit_read_abbrevs(unit) && attributes_at(unit, die, ret);
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

/* before DWARF 5, a skeleton is a compilation unit with the name of a .dwo file */
static void understand_split(struct unit *unit, const struct root *root)
{
	if (form_is_constant(&root->dwo_id)) {
		unit->dwo_id = root->dwo_id.number;
		unit->has_dwo_id = true;
	}
	if (unit->dwarf->split)
		return;
	unit->dwo_name = unit_string(unit, &root->dwo_name);
	unit->ranges_base = section_offset(&root->ranges_base, 0);
	if (root->dwo_name.form && unit->encoding.version < 5)
		unit->type = DW_UT_skeleton;
}

/* the bases first, because other values depend on them */
static void understand(struct unit *unit, const struct root *root)
{
	unit->str_offsets_base = section_offset(&root->str_offsets_base, split_base(unit, 8));
	unit->addr_base = section_offset(&root->addr_base, 0);
	unit->rnglists_base = section_offset(&root->rnglists_base, split_base(unit, 12));
	unit->low_pc = unit->skeleton ? unit->skeleton->low_pc : 0;
	unit->line_offset = section_offset(&root->line, UINT64_MAX);
	unit->comp_dir = unit_string(unit, &root->comp_dir);
	unit->language = (uint16_t)form_constant(&root->language);
	unit_address(unit, &root->code.low, &unit->low_pc);
	understand_split(unit, root);
}

static void read_own_ranges(struct unit *unit, const struct code *code)
{
	struct ranges ranges;
	uint64_t start, end;

	ranges_begin(&ranges, unit, code);
	while (ranges_next(&ranges, &start, &end))
		range_map_add(&unit->own, start, end, 0, 0);
	range_map_finish(&unit->own);
}

/*
 * Reads the tag and values of the unit DIE at CURSOR. Returns false if it does not end before
 * CURSOR does.
 */
static bool read_values(
	struct unit *unit, struct cursor cursor, uint16_t *tag_ret, struct root *ret)
{
	struct attributes attributes;
	struct form_value value;
	struct root root = {};
	uint16_t name;

	if (!root_attributes(unit, cursor, &attributes))
		return false;
	while (attributes_next(&attributes, &name, &value))
		take_value(&root, name, &value);
	*tag_ret = attributes.tag;
	*ret = root;
	return !attributes.values.failed;
}

void unit_read_root(struct unit *unit)
{
	struct root root;
	uint16_t tag;

	if (unit->root_read)
		return;
	unit->root_read = true;
	unit->partial = true;
	/* first in the bytes that were inflated with the header */
	if (!read_values(unit, unit_head(unit, unit->first, HEAD_LEN), &tag, &root) &&
		!read_values(unit, unit_cursor(unit, unit->first), &tag, &root))
		return;
	unit->partial = tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit;
	understand(unit, &root);
	read_own_ranges(unit, &root.code);
}
