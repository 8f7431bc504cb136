// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/die.h"

#include <dwarf.h>
#include <string.h>

struct cursor unit_head(const struct unit *unit, uint64_t offset, uint64_t max)
{
	uint64_t len = unit->end - unit->offset < max ? unit->end - unit->offset : max;
	struct slice info = sections_part(unit->dwarf->sections, SECTION_INFO, unit->offset, len);

	if (!info.data || offset < unit->first || offset >= unit->offset + len)
		return cursor_none();
	return (struct cursor){info.data + offset, info.data + unit->offset + len, false, info.big};
}

static struct attributes attributes_of(
	const struct unit *unit, const struct abbrev *abbrev, struct cursor values)
{
	return (struct attributes){
		.specs = {.at = abbrev->specs, .end = unit->abbrevs->end},
		.values = values,
		.encoding = &unit->encoding,
		.children = abbrev->children,
		.tag = abbrev->tag,
	};
}

bool attributes_at(const struct unit *unit, struct cursor cursor, struct attributes *ret)
{
	uint64_t code = cursor_uleb(&cursor);
	const struct abbrev *abbrev = code ? abbrev_get(unit->abbrevs, code) : NULL;

	if (!abbrev)
		return false;
	*ret = attributes_of(unit, abbrev, cursor);
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

static const char *section_string(struct dwarf *dwarf, enum section_id id, uint64_t offset)
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

struct dwarf *unit_alt(const struct unit *unit)
{
	unit->dwarf->alt_missed |= !unit->dwarf->alt;
	return unit->dwarf->alt;
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
	size_t len = strlen(s) + 1;

	if (sections_are_pinned(sections, SECTION_INFO))
		return s;
	if (strings->keys.bytes + len > sections_size(sections, SECTION_INFO)) {
		sections_get(sections, SECTION_INFO);
		return s;
	}
	return table_string(strings, s, len);
}

const char *unit_string(const struct unit *unit, const struct form_value *value)
{
	struct dwarf *dwarf = unit->dwarf;
	uint64_t offset;

	switch (value->form) {
	case DW_FORM_string:
		return own_string(unit, (const char *)value->bytes);
	case DW_FORM_strp:
		return section_string(dwarf, SECTION_STR, value->number);
	case DW_FORM_line_strp:
		return section_string(dwarf, SECTION_LINE_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!indexed_number(sections_get(dwarf->sections, SECTION_STR_OFFSETS),
			    unit->str_offsets_base, unit->encoding.offset_size, value->number,
			    &offset))
			return NULL;
		return section_string(dwarf, SECTION_STR, offset);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		dwarf = unit_alt(unit);
		return dwarf ? section_string(dwarf, SECTION_STR, value->number) : NULL;
	}
	return NULL;
}

bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *ret)
{
	const struct unit *home = unit->skeleton ?: unit;
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

void code_take(struct code *code, uint16_t name, const struct form_value *value)
{
	switch (name) {
	case DW_AT_low_pc:
		code->low = *value;
		break;
	case DW_AT_high_pc:
		code->high = *value;
		break;
	case DW_AT_ranges:
		code->ranges = *value;
		break;
	case DW_AT_entry_pc:
		code->entry = *value;
		break;
	}
}

static struct form_value read_place(const struct walk *walk, const struct abbrev_place *place)
{
	struct cursor cursor = walk->cursor;

	if (!place->form)
		return (struct form_value){};
	cursor_skip(&cursor, place->at);
	if (__builtin_expect(place->size, 1)) {
		uint64_t number = cursor_number(&cursor, place->size);

		return (struct form_value){cursor.failed ? 0 : place->form, number, NULL};
	}
	return form_read(&cursor, place->form, 0, &walk->unit->encoding);
}

struct code walk_code(const struct walk *walk, const struct abbrev *abbrev)
{
	struct attributes attributes = attributes_of(walk->unit, abbrev, walk->cursor);
	struct code code = {};
	struct form_value value;
	uint16_t name;

	if (abbrev->placed)
		return (struct code){
			.low = read_place(walk, &abbrev->low),
			.high = read_place(walk, &abbrev->high),
			.ranges = read_place(walk, &abbrev->ranges),
			.entry = read_place(walk, &abbrev->entry),
		};
	while (attributes_next(&attributes, &name, &value))
		code_take(&code, name, &value);
	return code;
}

/* Returns the largest address, which selects a new base in lists and marks discarded code. */
static uint64_t address_max(const struct unit *unit)
{
	return unit->encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

void ranges_begin(struct ranges *ranges, struct unit *unit, const struct code *code)
{
	const struct unit *skeleton = unit->skeleton;
	uint64_t offset = code->ranges.number;

	*ranges = (struct ranges){
		.unit = unit, .dwarf = unit->dwarf, .code = code, .base = unit->low_pc};
	if (!code->ranges.form)
		return;
	if (unit->encoding.version >= 5) {
		struct slice section = sections_get(unit->dwarf->sections, SECTION_RNGLISTS);

		if (code->ranges.form == DW_FORM_rnglistx) {
			ranges->done = !indexed_number(section, unit->rnglists_base,
					       unit->encoding.offset_size, offset, &offset) ||
				       offset > section.len;
			offset += unit->rnglists_base;
		}
		ranges->cursor = cursor_at(section, offset);
		return;
	}
	/* before DWARF 5, the lists of split units remain in the program */
	if (skeleton) {
		ranges->dwarf = skeleton->dwarf;
		offset += skeleton->ranges_base;
		ranges->done = offset < skeleton->ranges_base;
	}
	ranges->cursor = cursor_at(sections_get(ranges->dwarf->sections, SECTION_RANGES), offset);
}

/* Converts offsets to addresses. Returns false if their base belongs to discarded code. */
static bool from_base(const struct ranges *ranges, uint64_t *start, uint64_t *end)
{
	*start += ranges->base;
	*end += ranges->base;
	return ranges->base < address_max(ranges->unit) - 1;
}

/*
 * Reads an entry of .debug_ranges. Returns false if it is not a range; the end of the list sets
 * `done`.
 */
static bool next_pair(struct ranges *ranges, uint64_t *start, uint64_t *end)
{
	unsigned size = ranges->unit->encoding.address_size;
	uint64_t first = cursor_number(&ranges->cursor, size);
	uint64_t second = cursor_number(&ranges->cursor, size);

	if (!first && !second)
		ranges->done = true;
	else if (first == address_max(ranges->unit))
		ranges->base = second;
	else {
		*start = first;
		*end = second;
		return from_base(ranges, start, end);
	}
	return false;
}

static uint64_t indexed(struct ranges *ranges)
{
	uint64_t address = 0;

	if (!unit_indexed_address(ranges->unit, cursor_uleb(&ranges->cursor), &address))
		ranges->done = true;
	return address;
}

/* Reads an entry of .debug_rnglists. Returns false if it is not a range. */
static bool next_entry(struct ranges *ranges, uint64_t *start, uint64_t *end)
{
	struct cursor *cursor = &ranges->cursor;
	unsigned size = ranges->unit->encoding.address_size;

	switch (cursor_u8(cursor)) {
	case DW_RLE_base_addressx:
		ranges->base = indexed(ranges);
		return false;
	case DW_RLE_base_address:
		ranges->base = cursor_number(cursor, size);
		return false;
	case DW_RLE_startx_endx:
		*start = indexed(ranges);
		*end = indexed(ranges);
		return true;
	case DW_RLE_startx_length:
		*start = indexed(ranges);
		*end = *start + cursor_uleb(cursor);
		return true;
	case DW_RLE_offset_pair:
		*start = cursor_uleb(cursor);
		*end = cursor_uleb(cursor);
		return from_base(ranges, start, end);
	case DW_RLE_start_end:
		*start = cursor_number(cursor, size);
		*end = cursor_number(cursor, size);
		return true;
	case DW_RLE_start_length:
		*start = cursor_number(cursor, size);
		*end = *start + cursor_uleb(cursor);
		return true;
	}
	ranges->done = true;
	return false;
}

bool ranges_next(struct ranges *ranges, uint64_t *start_ret, uint64_t *end_ret)
{
	const struct code *code = ranges->code;
	uint64_t start, end, *budget = &ranges->dwarf->range_budget;
	bool found = true;

	while (!ranges->done) {
		if (!code->ranges.form) { /* one range, from low_pc to high_pc */
			ranges->done = true;
			if (!unit_address(ranges->unit, &code->low, &start))
				return false;
			if (form_is_constant(&code->high))
				end = start + code->high.number;
			else if (!unit_address(ranges->unit, &code->high, &end))
				return false;
		} else if (*budget) {
			--*budget;
			found = ranges->unit->encoding.version >= 5
					? next_entry(ranges, &start, &end)
					: next_pair(ranges, &start, &end);
			found &= !ranges->cursor.failed;
			ranges->done |= ranges->cursor.failed;
		} else {
			ranges->done = true;
			return false;
		}
		if (!found || start <= 1 || start >= end || start >= address_max(ranges->unit) - 1)
			continue;
		*start_ret = start;
		*end_ret = end;
		return true;
	}
	return false;
}
