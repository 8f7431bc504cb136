// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Range lists, and the map they go into. Input: version, form, offset, then the bytes of all of
 * .debug_ranges, .debug_rnglists and .debug_addr at once.
 */
#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>

#include "debug/dwarf/die.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const struct range_map *map)
{
	for (size_t i = 0; i < map->len; i++) {
		const struct range *range = &map->data[i];

		if (range->start >= range->end || (i && range->start < range[-1].end) ||
			range_map_find(map, range->start) != range)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	struct slice slice = {data + 3, size - 3, false};
	struct slice slices[SECTION_COUNT] = {
		[SECTION_RANGES] = slice, [SECTION_RNGLISTS] = slice, [SECTION_ADDR] = slice};
	struct dwarf dwarf = {.sections = sections_from_slices(slices), .range_budget = 4096};
	struct unit unit = {.dwarf = &dwarf,
		.encoding = {(uint8_t)(2 + data[0] % 4), data[0] & 0x80 ? 4 : 8,
			data[0] & 0x40 ? 8 : 4},
		.low_pc = 0x1000};
	struct code code = {.ranges = {.form = data[1] & 1 ? DW_FORM_rnglistx : DW_FORM_sec_offset,
				    .number = data[2]}};
	struct range_map map = {};
	struct ranges ranges;
	uint64_t start, end;

	ranges_begin(&ranges, &unit, &code);
	for (uint32_t i = 0; ranges_next(&ranges, &start, &end); i++)
		range_map_add(&map, start, end, i, 0);
	range_map_finish(&map);
	check_map(&map);
	vec_deinit(&map);
	sections_destroy(dwarf.sections);
	return 0;
}
