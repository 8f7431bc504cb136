// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/unit_index.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/functions.h"
#include "debug/dwarf/line_header.h"
#include "debug/dwarf/unit_root.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/stop.h"
#include "util/xalloc.h"

/* The largest programs have some ten thousand. */
enum { UNITS_MAX = 1 << 18 };
/* Sets of .debug_aranges, also such as say nothing: of zeros there are millions in a hole. */
enum { SETS_MAX = 4 * UNITS_MAX };
/* Addresses that .debug_aranges lacks: for these it is cheaper to go back to their units. */
enum { FEW = 16 };

void unit_index_deinit(struct unit_index *index)
{
	for (size_t i = 0; i < index->owned.len; i++) {
		struct unit *unit = index->owned.data[i];

		if (unit->split)
			functions_deinit(unit->split);
		functions_deinit(unit);
		unit_deinit(unit);
		free(unit);
	}
	vec_deinit(&index->owned);
	vec_deinit(&index->all);
	vec_deinit(&index->offsets);
	table_deinit(&index->by_offset);
	table_deinit(&index->by_dwo_id);
	range_map_deinit(&index->aranges);
	range_map_deinit(&index->map);
}

/* The unit at OFFSET, made when it is new; NULL if there is none. */
static struct unit *unit_at(struct unit_index *index, uint64_t offset)
{
	struct unit header;
	bool added;
	uint64_t *known = table_at(&index->by_offset, &offset, sizeof(offset), &added);

	if (!added)
		return (struct unit *)(uintptr_t)*known;
	if (!unit_read_header(index->dwarf, offset, &header))
		return NULL;
	struct unit *unit = xmalloc(sizeof(*unit));
	*unit = header;
	*known = (uintptr_t)unit;
	vec_push(&index->owned, unit);
	return unit;
}

/* One set of .debug_aranges: tuples of address and length for one unit, ended by a zero tuple. */
static void read_set(struct unit_index *index, struct cursor *section)
{
	struct cursor cursor = *section;
	const uint8_t *start = cursor.at;
	uint8_t offset_size;

	cursor_enter_unit(&cursor, &offset_size);
	section->at = cursor.failed ? section->end : cursor.end;
	unsigned version = cursor_u16(&cursor);
	uint64_t unit = cursor_number(&cursor, offset_size);
	unsigned size = cursor_u8(&cursor);
	unsigned segment_size = cursor_u8(&cursor);
	if (cursor.failed || version != 2 || segment_size || (size != 4 && size != 8))
		return;
	cursor_skip(&cursor, -(uint64_t)(cursor.at - start) % (2 * size));
	while (cursor_left(&cursor) >= 2 * size) {
		uint64_t address = cursor_number(&cursor, size);
		uint64_t len = cursor_number(&cursor, size);

		if (address > 1 && address + len > address)
			range_map_add(&index->aranges, address, address + len,
				(uint32_t)index->offsets.len, 0);
	}
	vec_push(&index->offsets, unit);
}

static void read_aranges(struct unit_index *index)
{
	struct cursor cursor = cursor_at(sections_get(index->dwarf->sections, SECTION_ARANGES), 0);

	index->aranges_read = true;
	for (int i = 0; i < SETS_MAX && cursor_left(&cursor) && !stop_asked(); i++)
		read_set(index, &cursor);
	range_map_finish(&index->aranges);
}

/* True for units that hold code of this file, or stand for a .dwo file that does. */
static bool is_wanted(const struct unit *unit)
{
	return unit->type == DW_UT_compile || unit->type == DW_UT_skeleton;
}

/* The offset of the unit that .debug_aranges has for ADDRESS. False: none. */
static bool aranges_find(struct unit_index *index, uint64_t address, uint64_t *ret)
{
	if (!index->aranges_read)
		read_aranges(index);
	const struct range *range = range_map_find(&index->aranges, address);
	if (range)
		*ret = index->offsets.data[range->value];
	return range;
}

COMPARE(compare_offsets, uint64_t, order_of(*a, *b))

/* What is wanted of .debug_info, in the order in which it is there. */
struct wanted_units {
	const uint64_t *offsets; /* of units, ascending */
	size_t n;
	bool lines; /* their line tables too */
};

/* Has all of UNIT inflated, if it holds code. */
static void want_unit(struct unit *unit, bool lines)
{
	if (!unit || !is_wanted(unit))
		return;
	unit_read_root(unit);
	if (unit->partial)
		return;
	unit_cursor(unit, unit->first);
	if (lines && unit->line_offset != UINT64_MAX)
		line_header_want(unit);
}

/*
 * All headers, one after the other: .debug_aranges can lead into the middle of a unit. What is wanted on the way
 * is inflated in the same pass.
 */
static void scan(struct unit_index *index, struct wanted_units wanted)
{
	uint64_t size = sections_size(index->dwarf->sections, SECTION_INFO);
	struct unit *unit;

	index->scanned = true;
	for (uint64_t at = 0; at < size && index->all.len < UNITS_MAX && !stop_asked();
		at = unit->end) {
		unit = unit_at(index, at);
		if (!unit)
			break;
		vec_push(&index->all, unit);
		for (; wanted.n && *wanted.offsets <= at; wanted.offsets++, wanted.n--)
			if (*wanted.offsets == at)
				want_unit(unit, wanted.lines);
	}
}

/*
 * The offsets of the units that .debug_aranges has for ADDRESSES, ascending, each once; RET has room for N. Returns how
 * many. MISSED_RET: how many addresses it lacks.
 */
static size_t find_offsets(struct unit_index *index, const uint64_t *addresses, size_t n,
	uint64_t *ret, size_t *missed_ret)
{
	const struct range *range = NULL;
	size_t found = 0;

	*missed_ret = 0;
	if (!index->aranges_read)
		read_aranges(index);
	for (size_t i = 0; i < n; i++) {
		if (range && addresses[i] >= range->start && addresses[i] < range->end)
			continue;
		range = range_map_find(&index->aranges, addresses[i]);
		*missed_ret += !range;
		if (range)
			ret[found++] = index->offsets.data[range->value];
	}
	qsort(ret, found, sizeof(*ret), compare_offsets);
	size_t unique = 0;
	for (size_t i = 0; i < found; i++)
		if (!i || ret[i] != ret[i - 1])
			ret[unique++] = ret[i];
	return unique;
}

void unit_index_want(struct unit_index *index, const uint64_t *addresses, size_t n, bool lines)
{
	auto_free uint64_t *offsets = xmalloc(n * sizeof(*offsets));
	size_t missed;
	size_t found = find_offsets(index, addresses, n, offsets, &missed);

	/* Where most units are wanted, or nothing says which, one pass has all of it. */
	if (found > index->offsets.len / 2 || missed > FEW) {
		sections_get(index->dwarf->sections, SECTION_INFO);
		if (lines)
			sections_get(index->dwarf->sections, SECTION_LINE);
	}
	if (missed && !index->scanned)
		scan(index, (struct wanted_units){offsets, found, lines});
	for (size_t i = 0; i < found && !stop_asked(); i++)
		want_unit(unit_at(index, offsets[i]), lines);
}

struct unit *unit_index_claim(struct unit_index *index, uint64_t address)
{
	uint64_t offset;
	struct unit *unit = aranges_find(index, address, &offset) ? unit_at(index, offset) : NULL;

	if (!unit || !is_wanted(unit))
		return NULL;
	unit_read_root(unit);
	return unit->partial ? NULL : unit;
}

static struct unit *find_by_aranges(struct unit_index *index, uint64_t address)
{
	struct unit *unit = unit_index_claim(index, address);

	return unit && range_map_find(&unit->own, address) ? unit : NULL;
}

static void map_units(struct unit_index *index)
{
	if (!index->scanned)
		scan(index, (struct wanted_units){});
	index->mapped = true;
	for (size_t i = 0; i < index->all.len && !stop_asked(); i++) {
		struct unit *unit = index->all.data[i];

		if (!is_wanted(unit))
			continue;
		unit_read_root(unit);
		/* DWARF 2 has no ranges of a unit in several pieces, only those of its functions. */
		const struct range_map *own =
			unit->own.len || unit->partial ? &unit->own : functions_ranges(unit);
		for (size_t j = 0; own && !unit->partial && j < own->len; j++)
			range_map_add(
				&index->map, own->data[j].start, own->data[j].end, (uint32_t)i, 0);
	}
	range_map_finish(&index->map);
}

struct unit *unit_index_find(struct unit_index *index, uint64_t address)
{
	if (!index->mapped) {
		struct unit *unit = find_by_aranges(index, address);

		if (unit)
			return unit;
		map_units(index);
	}
	const struct range *range = range_map_find(&index->map, address);
	return range ? index->all.data[range->value] : NULL;
}

static void read_ids(struct unit_index *index)
{
	if (!index->scanned)
		scan(index, (struct wanted_units){});
	index->ids_read = true;
	for (size_t i = 0; i < index->all.len && !stop_asked(); i++) {
		struct unit *unit = index->all.data[i];
		bool added;

		if (unit->type != DW_UT_compile && unit->type != DW_UT_split_compile)
			continue;
		unit_read_root(unit);
		if (!unit->has_dwo_id || unit->partial)
			continue;
		uint64_t *known =
			table_at(&index->by_dwo_id, &unit->dwo_id, sizeof(unit->dwo_id), &added);
		if (added)
			*known = (uintptr_t)unit;
	}
}

struct unit *unit_index_split(struct unit_index *index, uint64_t dwo_id)
{
	if (!index->ids_read)
		read_ids(index);
	const uint64_t *known = table_find(&index->by_dwo_id, &dwo_id, sizeof(dwo_id));
	return known ? (struct unit *)(uintptr_t)*known : NULL;
}

struct unit *unit_index_at(struct unit_index *index, size_t i)
{
	if (!index->scanned)
		scan(index, (struct wanted_units){});
	return i < index->all.len ? index->all.data[i] : NULL;
}

struct unit *unit_index_holding(struct unit_index *index, uint64_t offset)
{
	if (!index->scanned)
		scan(index, (struct wanted_units){});
	size_t n = sorted_count(index->all.data, index->all.len, ->offset <= offset);
	struct unit *unit = n ? index->all.data[n - 1] : NULL;
	return unit && unit->type && offset < unit->end ? unit : NULL;
}
