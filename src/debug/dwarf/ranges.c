// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/ranges.h"

#include <dwarf.h>

bool code_take(struct code *code, uint16_t name, const struct form_value *value)
{
	switch (name) {
	case DW_AT_low_pc:
		code->low = *value;
		return true;
	case DW_AT_high_pc:
		code->high = *value;
		return true;
	case DW_AT_ranges:
		code->ranges = *value;
		return true;
	case DW_AT_entry_pc:
		code->entry = *value;
		return true;
	}
	return false;
}

bool code_entry(const struct code *code, const struct unit *unit, uint64_t *ret)
{
	uint64_t low;
	bool has_low = unit_address(unit, &code->low, &low);

	if (unit_address(unit, &code->entry, ret))
		return true;
	if (!has_low)
		return false;
	*ret = low + form_constant(&code->entry);
	return true;
}

/* Returns the largest address, which selects a new base in lists and marks discarded code. */
static uint64_t address_max(const struct unit *unit)
{
	return unit->encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

static void begin_rnglist(struct ranges *ranges)
{
	struct unit *unit = ranges->unit;
	struct slice section = sections_get(unit->dwarf->sections, SECTION_RNGLISTS);
	uint64_t offset = ranges->code->ranges.number;

	if (ranges->code->ranges.form == DW_FORM_rnglistx) {
		unsigned size = unit->encoding.offset_size;

		if (unit->rnglists_base > section.len || offset > section.len / size) {
			ranges->done = true;
			return;
		}
		struct cursor cursor = cursor_at(section, unit->rnglists_base + offset * size);
		offset = cursor_number(&cursor, size);
		ranges->done = cursor.failed || offset > section.len;
		offset += unit->rnglists_base;
	}
	ranges->cursor = cursor_at(section, offset);
}

/* before DWARF 5, the lists of split units remain in the program */
static void begin_ranges(struct ranges *ranges)
{
	const struct unit *skeleton = ranges->unit->skeleton;
	uint64_t offset = ranges->code->ranges.number;

	if (skeleton) {
		ranges->dwarf = skeleton->dwarf;
		offset += skeleton->ranges_base;
		ranges->done = offset < skeleton->ranges_base;
	}
	ranges->cursor = cursor_at(sections_get(ranges->dwarf->sections, SECTION_RANGES), offset);
}

void ranges_begin(struct ranges *ranges, struct unit *unit, const struct code *code)
{
	*ranges = (struct ranges){
		.unit = unit, .dwarf = unit->dwarf, .code = code, .base = unit->low_pc};
	if (!code->ranges.form)
		return;
	ranges->list = true;
	if (unit->encoding.version >= 5)
		begin_rnglist(ranges);
	else
		begin_ranges(ranges);
}

/* Reads the one range, from low_pc to high_pc. Returns false if there is none. */
static bool next_plain(struct ranges *ranges, uint64_t *start, uint64_t *end)
{
	const struct code *code = ranges->code;

	ranges->done = true;
	if (!unit_address(ranges->unit, &code->low, start))
		return false;
	if (unit_address(ranges->unit, &code->high, end))
		return true;
	if (!form_is_constant(&code->high))
		return false;
	*end = *start + code->high.number;
	return true;
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

static bool next_raw(struct ranges *ranges, uint64_t *start, uint64_t *end)
{
	if (!ranges->list)
		return next_plain(ranges, start, end);
	uint64_t *budget = &ranges->dwarf->range_budget;
	if (!*budget) {
		ranges->done = true;
		return false;
	}
	--*budget;
	bool found = ranges->unit->encoding.version >= 5 ? next_entry(ranges, start, end)
							 : next_pair(ranges, start, end);
	ranges->done |= ranges->cursor.failed;
	return found && !ranges->cursor.failed;
}

bool ranges_next(struct ranges *ranges, uint64_t *start_ret, uint64_t *end_ret)
{
	while (!ranges->done) {
		uint64_t start, end;

		if (!next_raw(ranges, &start, &end) || start <= 1 || start >= end ||
			start >= address_max(ranges->unit) - 1)
			continue;
		*start_ret = start;
		*end_ret = end;
		return true;
	}
	return false;
}
