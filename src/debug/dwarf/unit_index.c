// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/unit_index.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/functions.h"
#include "debug/dwarf/line_header.h"
#include "debug/dwarf/unit_root.h"
#include "util/cleanup.h"
#include "util/radix.h"
#include "util/stop.h"
#include "util/xalloc.h"

/* the largest programs have some ten thousand */
enum { UNITS_MAX = 1 << 18 };
/* sets of .debug_aranges, including useless ones: a hole of zeros has millions */
enum { SETS_MAX = 4 * UNITS_MAX };
/*
 * Addresses missing in .debug_aranges: up to so many, rereading their units is cheaper than
 * inflating all.
 */
enum { FEW = 16 };
/* full batches have at least so many addresses, and others usually follow */
enum { MANY = 2048 };

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

/* Returns the unit at OFFSET, created if new. NULL if there is none. */
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

/*
 * Reads a set of .debug_aranges: tuples of address and length for one unit, ended by a zero tuple.
 */
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

/* Returns true if UNIT contains code of this file, or is the skeleton of a split unit that does. */
static bool is_wanted(const struct unit *unit)
{
	return unit->type == DW_UT_compile || unit->type == DW_UT_skeleton;
}

/* Finds the offset of the unit of ADDRESS in .debug_aranges. Returns false if there is none. */
static bool aranges_find(struct unit_index *index, uint64_t address, uint64_t *ret)
{
	if (!index->aranges_read)
		read_aranges(index);
	const struct range *range = range_map_find(&index->aranges, address);
	if (range)
		*ret = index->offsets.data[range->value];
	return range;
}

/* Inflates all of UNIT, if it contains code. */
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
 * Reads the headers of all units up to offset LAST in order, since .debug_aranges can point into
 * the middle of a unit. With ROOTS, reads unit DIEs while their bytes are inflated.
 */
static void scan(struct unit_index *index, uint64_t last, bool roots)
{
	uint64_t size = sections_size(index->dwarf->sections, SECTION_INFO);

	while (!index->scanned && index->next <= last && !stop_asked()) {
		bool more = index->next < size && index->all.len < UNITS_MAX;
		struct unit *unit = more ? unit_at(index, index->next) : NULL;

		index->scanned = !unit;
		if (!unit)
			break;
		vec_push(&index->all, unit);
		index->next = unit->end;
		if (roots && is_wanted(unit))
			unit_read_root(unit);
	}
}

static void scan_all(struct unit_index *index)
{
	scan(index, UINT64_MAX, false);
}

/* An address and its unit according to .debug_aranges. */
struct address_unit {
	uint64_t offset; /* of the unit, UINT64_MAX if unknown; first, as sort key */
	size_t i;	 /* index of the address */
};

/* Finds the unit of address I. RANGE is the previous address's range; it is updated. */
static struct address_unit find_unit(
	struct unit_index *index, const uint64_t *addresses, size_t i, const struct range **range)
{
	if (!*range || addresses[i] < (*range)->start || addresses[i] >= (*range)->end)
		*range = range_map_find(&index->aranges, addresses[i]);
	return (struct address_unit){*range ? index->offsets.data[(*range)->value] : UINT64_MAX, i};
}

/*
 * Finds the units of N addresses, which are those with the indices WHICH (NULL: the first N). Sorts
 * RET by unit. Returns the number of addresses that .debug_aranges lacks.
 */
static size_t find_units(struct unit_index *index, const uint64_t *addresses, const size_t *which,
	size_t n, struct address_unit *ret)
{
	const struct range *range = NULL;
	size_t missed = 0;

	if (!index->aranges_read)
		read_aranges(index);
	for (size_t i = 0; i < n; i++) {
		ret[i] = find_unit(index, addresses, which ? which[i] : i, &range);
		missed += !range;
	}
	radix_sort(ret, n, sizeof(*ret));
	return missed;
}

static void get_all(struct unit_index *index, bool lines)
{
	sections_get(index->dwarf->sections, SECTION_INFO);
	if (lines)
		sections_get(index->dwarf->sections, SECTION_LINE);
}

/* Keeps one entry of ASKED for each unit. Returns their number. */
static size_t first_of_units(struct address_unit *asked, size_t n)
{
	size_t units = 0;

	for (size_t i = 0; i < n; i++)
		if (!i || asked[i].offset != asked[i - 1].offset)
			asked[units++] = asked[i];
	return units;
}

void unit_index_want(struct unit_index *index, const uint64_t *addresses, size_t n, bool lines)
{
	auto_free struct address_unit *asked = xmalloc(n * sizeof(*asked));
	size_t missed = find_units(index, addresses, NULL, n, asked);
	size_t units = first_of_units(asked, n - missed);

	/* if most units are needed, or some are unknown, inflate everything in one pass */
	if (units > index->offsets.len / 2 || missed > FEW)
		get_all(index, lines);
	for (size_t i = 0; i < units && !stop_asked(); i++) {
		if (missed)
			scan(index, asked[i].offset, true);
		want_unit(unit_at(index, asked[i].offset), lines);
	}
	if (missed)
		scan(index, UINT64_MAX, true);
}

void unit_index_order(struct unit_index *index, const uint64_t *addresses, size_t *which, size_t n)
{
	if (sections_are_pinned(index->dwarf->sections, SECTION_INFO))
		return;
	auto_free struct address_unit *asked = xmalloc(n * sizeof(*asked));
	size_t missed = find_units(index, addresses, which, n, asked);
	for (size_t i = 0; i < n; i++)
		which[i] = asked[i].i;
	size_t units = first_of_units(asked, n - missed);

	/* likewise; but for few addresses, reading unit by unit takes less memory */
	if ((units > index->offsets.len / 2 && n > MANY) || missed > FEW)
		get_all(index, false);
	index->scan_along = missed;
}

struct unit *unit_index_claim(struct unit_index *index, uint64_t address)
{
	uint64_t offset;

	if (!aranges_find(index, address, &offset))
		return NULL;
	if (index->scan_along)
		scan(index, offset, true);
	struct unit *unit = unit_at(index, offset);
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
	scan_all(index);
	index->mapped = true;
	for (size_t i = 0; i < index->all.len && !stop_asked(); i++) {
		struct unit *unit = index->all.data[i];

		if (!is_wanted(unit))
			continue;
		unit_read_root(unit);
		/* DWARF 2 has ranges of functions, but none of a unit in several pieces */
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
	scan_all(index);
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
	scan_all(index);
	return i < index->all.len ? index->all.data[i] : NULL;
}

struct unit *unit_index_holding(struct unit_index *index, uint64_t offset)
{
	scan_all(index);
	size_t n = sorted_count(index->all.data, index->all.len, ->offset <= offset);
	struct unit *unit = n ? index->all.data[n - 1] : NULL;
	return unit && unit->type && offset < unit->end ? unit : NULL;
}
