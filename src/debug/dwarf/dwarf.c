// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"
#include "debug/dwarf/functions.h"
#include "debug/dwarf/line_table.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/stop.h"
#include "util/xalloc.h"

/* the largest programs have some ten thousand */
enum { UNITS_MAX = 1 << 18 };
/* sets of .debug_aranges; also limits the empty sets that a run of zero bytes is read as */
enum { SETS_MAX = 4 * UNITS_MAX };
/*
 * If at most so many addresses are missing in .debug_aranges, reading their units a second time is
 * cheaper than inflating the whole section.
 */
enum { FEW = 16 };
/* full batches have at least so many addresses, and others usually follow */
enum { MANY = 2048 };
/* bytes of .debug_info after whose scan their pages are dropped: only headers were needed */
enum { DROPPED = 8 << 20 };

struct dwarf *dwarf_create(struct sections *sections)
{
	struct dwarf *dwarf = xnew(dwarf);
	uint64_t ranges =
		sections_size(sections, SECTION_RANGES) + sections_size(sections, SECTION_RNGLISTS);

	dwarf->sections = sections;
	dwarf->range_budget = (1 << 20) + 4 * ranges;
	dwarf->line_budget = (1 << 20) + 2 * sections_size(sections, SECTION_LINE);
	return dwarf;
}

/* Destroys UNIT and its split unit. */
static void unit_destroy(struct unit *unit)
{
	if (!unit)
		return;
	unit_destroy(unit->split);
	functions_deinit(unit);
	vec_deinit(&unit->own);
	free(unit);
}

void dwarf_destroy(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	vec_destroy(&dwarf->owned, unit_destroy);
	vec_deinit(&dwarf->units);
	vec_deinit(&dwarf->offsets);
	table_deinit(&dwarf->by_offset);
	table_deinit(&dwarf->by_dwo_id);
	vec_deinit(&dwarf->aranges);
	vec_deinit(&dwarf->map);
	abbrev_cache_deinit(&dwarf->abbrevs);
	table_deinit(&dwarf->strings);
	sections_destroy(dwarf->sections);
	free(dwarf);
}

/* Returns the unit at OFFSET, created if new. NULL if there is none. */
static struct unit *unit_at(struct dwarf *dwarf, uint64_t offset)
{
	bool added;
	uint64_t *known = table_at(&dwarf->by_offset, &offset, sizeof(offset), &added);

	if (!added)
		return (struct unit *)(uintptr_t)*known;
	struct unit *unit = unit_create(dwarf, offset);
	*known = (uintptr_t)unit;
	if (unit)
		vec_push(&dwarf->owned, unit);
	return unit;
}

/*
 * Reads .debug_aranges, once. It is a list of sets: tuples of address and length for one unit,
 * ended by a zero tuple.
 */
static void read_aranges(struct dwarf *dwarf)
{
	struct cursor section = cursor_at(sections_get(dwarf->sections, SECTION_ARANGES), 0);

	if (dwarf->aranges_read)
		return;
	dwarf->aranges_read = true;
	for (int i = 0; i < SETS_MAX && cursor_left(&section) && !stop_asked(); i++) {
		struct cursor cursor = section;
		uint8_t offset_size = cursor_enter_unit(&cursor);

		const uint8_t *start = section.at;
		section.at = cursor.failed ? section.end : cursor.end;
		unsigned version = cursor_u16(&cursor);
		uint64_t unit = cursor_number(&cursor, offset_size);
		unsigned size = cursor_u8(&cursor);
		unsigned segment_size = cursor_u8(&cursor);
		if (cursor.failed || version != 2 || segment_size || (size != 4 && size != 8))
			continue;
		cursor_skip(&cursor, -(uint64_t)(cursor.at - start) % (2 * size));
		while (cursor_left(&cursor) >= 2 * size) {
			uint64_t address = cursor_number(&cursor, size);
			uint64_t len = cursor_number(&cursor, size);

			if (address > 1 && address + len > address)
				range_map_add(&dwarf->aranges, address, address + len,
					(uint32_t)dwarf->offsets.len, 0);
		}
		dwarf->unordered |= dwarf->offsets.len && unit <= *vec_last(&dwarf->offsets);
		vec_push(&dwarf->offsets, unit);
	}
	range_map_finish(&dwarf->aranges);
}

/* Returns true if .debug_aranges lists UNIT: then it has all its code, but for DWARF 2. */
static bool is_listed(const struct dwarf *dwarf, const struct unit *unit)
{
	size_t n = dwarf->offsets.len;
	size_t i = sorted_count(dwarf->offsets.data, n, < unit->offset);

	return !dwarf->unordered && i < n && dwarf->offsets.data[i] == unit->offset &&
	       unit->encoding.version > 2;
}

/*
 * Returns the offset of the unit of ADDRESS by .debug_aranges, UINT64_MAX if there is none. *LAST
 * is the range of the previous address, NULL if none.
 */
static uint64_t aranges_find(struct dwarf *dwarf, uint64_t address, const struct range **last)
{
	read_aranges(dwarf);
	if (!*last || address < (*last)->start || address >= (*last)->end)
		*last = range_map_find(&dwarf->aranges, address);
	return *last ? dwarf->offsets.data[(*last)->value] : UINT64_MAX;
}

/*
 * Reads the headers of all units up to offset LAST in order, since .debug_aranges can point into
 * the middle of a unit. With ROOTS, reads DIEs of units it lacks while their bytes are inflated.
 */
static void scan(struct dwarf *dwarf, uint64_t last, bool roots)
{
	uint64_t size = sections_size(dwarf->sections, SECTION_INFO);

	while (!dwarf->scanned && dwarf->next <= last && !stop_asked()) {
		bool more = dwarf->next < size && dwarf->units.len < UNITS_MAX;
		struct unit *unit = more ? unit_at(dwarf, dwarf->next) : NULL;

		dwarf->scanned = !unit;
		if (!unit)
			break;
		vec_push(&dwarf->units, unit);
		if (unit->offset / DROPPED < unit->end / DROPPED)
			sections_drop(dwarf->sections, unit->offset - unit->offset % DROPPED,
				unit->offset);
		dwarf->next = unit->end;
		if (roots && !is_listed(dwarf, unit))
			(void)unit_has_code(unit); /* reads its DIE */
	}
}

/*
 * Returns the unit at OFFSET according to .debug_aranges, NULL if it has no code. With ALONG, scans
 * the units before it, too.
 */
static struct unit *listed_unit(struct dwarf *dwarf, uint64_t offset, bool along)
{
	if (along)
		scan(dwarf, offset, true);
	struct unit *unit = unit_at(dwarf, offset);
	return unit && unit_has_code(unit) ? unit : NULL;
}

/* An address and its unit according to .debug_aranges. */
struct address_unit {
	uint64_t offset; /* of the unit, UINT64_MAX if unknown; first, as sort key */
	size_t i;	 /* index of the address */
};

/*
 * Finds the units of N addresses: those with the indices WHICH, which it sorts by unit (NULL: the
 * first N). RET, with room for N, gets an entry for each unit. Returns their number. MISSED_RET
 * gets the number of addresses that .debug_aranges lacks.
 */
static size_t find_units(struct dwarf *dwarf, const uint64_t *addresses, size_t *which, size_t n,
	struct address_unit *ret, size_t *missed_ret)
{
	const struct range *range = NULL;
	size_t missed = 0, units = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i].i = which ? which[i] : i;
		ret[i].offset = aranges_find(dwarf, addresses[ret[i].i], &range);
		missed += !range;
	}
	radix_sort(ret, n, sizeof(*ret));
	for (size_t i = 0; i < n; i++) {
		if (which)
			which[i] = ret[i].i;
		if (i < n - missed && (!i || ret[i].offset != ret[i - 1].offset))
			ret[units++] = ret[i];
	}
	*missed_ret = missed;
	return units;
}

static void map_units(struct dwarf *dwarf, unsigned which)
{
	if (dwarf->mapped >= which)
		return;
	scan(dwarf, UINT64_MAX, false);
	dwarf->mapped = which;
	vec_deinit(&dwarf->map);
	for (size_t i = 0; i < dwarf->units.len && !stop_asked(); i++) {
		struct unit *unit = dwarf->units.data[i];

		if ((which == MAPPED_UNLISTED && is_listed(dwarf, unit)) || !unit_has_code(unit))
			continue;
		/* DWARF 2 has ranges of functions, but none of a unit in several pieces */
		const struct range_map *own = unit->own.len ? &unit->own : functions_ranges(unit);
		for (size_t j = 0; own && j < own->len; j++)
			range_map_add(
				&dwarf->map, own->data[j].start, own->data[j].end, (uint32_t)i, 0);
	}
	range_map_finish(&dwarf->map);
}

void units_want(struct dwarf *dwarf, const uint64_t *addresses, size_t n, bool lines)
{
	auto_free struct address_unit *asked = xmalloc(n * sizeof(*asked));
	size_t missed, units = find_units(dwarf, addresses, NULL, n, asked, &missed);

	/* if most units are needed, or some are unknown, inflate everything in one pass */
	if (units > dwarf->offsets.len / 2 || missed > FEW) {
		sections_get(dwarf->sections, SECTION_INFO);
		if (lines)
			sections_get(dwarf->sections, SECTION_LINE);
	}
	for (size_t i = 0; i < units && !stop_asked(); i++) {
		struct unit *unit = listed_unit(dwarf, asked[i].offset, missed);

		if (!unit)
			continue;
		unit_cursor(unit, unit->first); /* inflates all of it */
		if (lines && unit->line_offset != UINT64_MAX)
			line_table_bytes(unit);
	}
	if (missed && units > dwarf->offsets.len / 2)
		map_units(dwarf, MAPPED_ALL);
	else if (missed)
		scan(dwarf, UINT64_MAX, true);
}

void units_order(struct dwarf *dwarf, const uint64_t *addresses, size_t *which, size_t n)
{
	if (sections_are_pinned(dwarf->sections, SECTION_INFO))
		return;
	auto_free struct address_unit *asked = xmalloc(n * sizeof(*asked));
	size_t missed, units = find_units(dwarf, addresses, which, n, asked, &missed);

	/* likewise; but for few addresses, reading unit by unit takes less memory */
	if ((units > dwarf->offsets.len / 2 && n > MANY) || missed > FEW)
		sections_get(dwarf->sections, SECTION_INFO);
	dwarf->scan_along = missed;
}

struct unit *units_claim(struct dwarf *dwarf, uint64_t address)
{
	const struct range *range = NULL;
	uint64_t offset = aranges_find(dwarf, address, &range);

	return range ? listed_unit(dwarf, offset, dwarf->scan_along) : NULL;
}

struct unit *units_find(struct dwarf *dwarf, uint64_t address)
{
	bool wrong = false; /* .debug_aranges gives ADDRESS to a unit that lacks it */

	if (dwarf->mapped < MAPPED_ALL) {
		read_aranges(dwarf);
		/* sets can lack pieces, so that of the last piece at or below ADDRESS is tried */
		size_t n = sorted_count(dwarf->aranges.data, dwarf->aranges.len, .start <= address);
		const struct range *below = n ? &dwarf->aranges.data[n - 1] : NULL;
		struct unit *unit =
			n ? listed_unit(dwarf, dwarf->offsets.data[below->value], dwarf->scan_along)
			  : NULL;

		if (unit && range_map_find(&unit->own, address))
			return unit;
		wrong = n && address < below->end;
	}
	map_units(dwarf, wrong ? MAPPED_ALL : MAPPED_UNLISTED);
	const struct range *range = range_map_find(&dwarf->map, address);
	return range ? dwarf->units.data[range->value] : NULL;
}

struct unit *units_find_split(struct dwarf *dwarf, uint64_t dwo_id)
{
	if (!dwarf->ids_read)
		scan(dwarf, UINT64_MAX, false);
	for (size_t i = 0; !dwarf->ids_read && i < dwarf->units.len && !stop_asked(); i++) {
		struct unit *unit = dwarf->units.data[i];
		bool added;

		if (unit->type != DW_UT_compile && unit->type != DW_UT_split_compile)
			continue;
		unit_read_root(unit);
		if (!unit->has_dwo_id || unit->partial)
			continue;
		uint64_t *known =
			table_at(&dwarf->by_dwo_id, &unit->dwo_id, sizeof(unit->dwo_id), &added);
		if (added)
			*known = (uintptr_t)unit;
	}
	dwarf->ids_read = true;
	const uint64_t *known = table_find(&dwarf->by_dwo_id, &dwo_id, sizeof(dwo_id));
	return known ? (struct unit *)(uintptr_t)*known : NULL;
}

struct unit *units_at(struct dwarf *dwarf, size_t i)
{
	scan(dwarf, UINT64_MAX, false);
	return i < dwarf->units.len ? dwarf->units.data[i] : NULL;
}

struct unit *units_holding(struct unit *unit, struct dwarf *dwarf, uint64_t die)
{
	if (dwarf != unit->dwarf || die < unit->offset || die >= unit->end) {
		scan(dwarf, UINT64_MAX, false);
		size_t n = sorted_count(dwarf->units.data, dwarf->units.len, ->offset <= die);
		unit = n ? dwarf->units.data[n - 1] : NULL;
		if (!unit || !unit->type || die >= unit->end)
			return NULL;
		unit_read_root(unit); /* sets the bases of its strings */
	}
	return unit_read_abbrevs(unit) ? unit : NULL;
}
