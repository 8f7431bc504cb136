// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/ranges.h"

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

struct cursor unit_head(const struct unit *unit)
{
	struct slice info =
		sections_part(unit->dwarf->sections, SECTION_INFO, unit->offset, HEAD_LEN);
	uint64_t len = unit->end - unit->offset;

	if (!info.data || unit->first >= unit->end)
		return cursor_none();
	return (struct cursor){info.data + unit->first,
		info.data + unit->offset + (len < HEAD_LEN ? len : HEAD_LEN), false};
}

struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct slice info = sections_part(
		unit->dwarf->sections, SECTION_INFO, unit->offset, unit->end - unit->offset);

	if (!info.data || offset < unit->first || offset >= unit->end)
		return cursor_none();
	return (struct cursor){info.data + offset, info.data + unit->end, false};
}

bool attributes_at(const struct unit *unit, struct cursor cursor, struct attributes *ret)
{
	uint64_t code = cursor_uleb(&cursor);
	const struct abbrev *abbrev = code ? abbrev_get(unit->abbrevs, code) : NULL;

	if (!abbrev)
		return false;
	*ret = (struct attributes){
		.specs = {abbrev->specs, unit->abbrevs->end, false},
		.values = cursor,
		.encoding = &unit->encoding,
		.children = abbrev->children,
		.tag = abbrev->tag,
	};
	return true;
}

bool attributes_begin(const struct unit *unit, uint64_t offset, struct attributes *ret)
{
	return attributes_at(unit, unit_cursor(unit, offset), ret);
}

bool attributes_next(struct attributes *attributes, uint16_t *name_ret, struct form_value *ret)
{
	struct abbrev_spec spec;

	if (!abbrev_next_spec(&attributes->specs, &spec))
		return false;
	*ret = form_read(&attributes->values, spec.form, spec.implicit, attributes->encoding);
	*name_ret = spec.name;
	return !attributes->values.failed;
}

const char *unit_section_string(struct dwarf *dwarf, enum section_id id, uint64_t offset)
{
	struct cursor cursor = cursor_at(sections_get(dwarf->sections, id), offset);

	/* usually the section ends with a NUL, so that all strings end in it */
	if (!cursor.failed && cursor.at < cursor.end && !cursor.end[-1])
		return (const char *)cursor.at;
	const char *s = cursor_string(&cursor);
	return cursor.failed ? NULL : s;
}

/* Reads number INDEX of the array at BASE of SECTION. Each element has SIZE bytes. */
static bool indexed_number(
	struct slice section, uint64_t base, unsigned size, uint64_t index, uint64_t *ret)
{
	if (index > section.len / size || base > section.len)
		return false;
	struct cursor cursor = cursor_at(section, base + index * size);
	uint64_t number = cursor_number(&cursor, size);
	if (!cursor.failed)
		*ret = number;
	return !cursor.failed;
}

static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	struct slice section = sections_get(unit->dwarf->sections, SECTION_STR_OFFSETS);
	uint64_t offset;

	if (!indexed_number(
		    section, unit->str_offsets_base, unit->encoding.offset_size, index, &offset))
		return NULL;
	return unit_section_string(unit->dwarf, SECTION_STR, offset);
}

struct dwarf *unit_alt(const struct unit *unit)
{
	unit->dwarf->alt_missed |= !unit->dwarf->alt;
	return unit->dwarf->alt;
}

static const char *alt_string(const struct unit *unit, uint64_t offset)
{
	struct dwarf *alt = unit_alt(unit);

	return alt ? unit_section_string(alt, SECTION_STR, offset) : NULL;
}

/*
 * Returns a copy of S, a string in .debug_info, whose bytes may be released; S itself if they are
 * pinned. Strings can overlap DIEs, so copies and keys are limited to the size of the section: if
 * they exceed it, the section is pinned instead.
 */
static const char *own_string(const struct unit *unit, const char *s)
{
	struct sections *sections = unit->dwarf->sections;
	struct table *strings = &unit->dwarf->strings;
	size_t len = s ? strlen(s) + 1 : 0;
	bool added;

	if (!s || sections_are_pinned(sections, SECTION_INFO))
		return s;
	if (strings->keys.bytes + 2 * len > sections_size(sections, SECTION_INFO)) {
		sections_get(sections, SECTION_INFO);
		return s;
	}
	uint64_t *known = table_at(strings, s, len, &added);
	if (added)
		*known = (uintptr_t)arena_string(&strings->keys, s);
	return (const char *)(uintptr_t)*known;
}

const char *unit_string(const struct unit *unit, const struct form_value *value)
{
	switch (value->form) {
	case DW_FORM_string:
		return own_string(unit, (const char *)value->bytes);
	case DW_FORM_strp:
		return unit_section_string(unit->dwarf, SECTION_STR, value->number);
	case DW_FORM_line_strp:
		return unit_section_string(unit->dwarf, SECTION_LINE_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(unit, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return alt_string(unit, value->number);
	}
	return NULL;
}

bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *ret)
{
	const struct unit *home = unit->skeleton ? unit->skeleton : unit;
	struct slice section = sections_get(home->dwarf->sections, SECTION_ADDR);

	return indexed_number(section, home->addr_base, unit->encoding.address_size, index, ret);
}

bool unit_address(const struct unit *unit, const struct form_value *value, uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return unit_indexed_address(unit, value->number, ret);
	}
	return false;
}

bool unit_reference(const struct unit *unit, const struct form_value *value, uint64_t *ret)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value->number >= unit->end - unit->offset)
			return false;
		*ret = unit->offset + value->number;
		return true;
	case DW_FORM_ref_addr:
		*ret = value->number;
		return true;
	}
	return false;
}

bool unit_refers_to_alt(const struct form_value *value)
{
	switch (value->form) {
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return true;
	}
	return false;
}
