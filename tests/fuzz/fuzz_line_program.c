// SPDX-License-Identifier: GPL-2.0-or-later
/* A line table: the input is .debug_line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice slices[SECTION_COUNT] = {[SECTION_LINE] = {data, size, false}};
	struct dwarf dwarf = {.sections = sections_from_slices(slices), .line_budget = 1 << 20};
	struct unit unit = {.dwarf = &dwarf, .encoding = {5, 8, 4}, .comp_dir = "/c"};
	struct line_table *table = lines_create(&unit);
	struct arena arena = {};

	for (size_t i = 0; table && i < table->map.len && i < 64; i++) {
		const struct range *range = &table->map.data[i];
		struct line_row row;

		for (uint64_t j = 0; j < 16 && j < range->end - range->start; j++) {
			if (!lines_find(table, &dwarf, range->start + j, &row))
				continue;
			if (row.address > range->start + j)
				abort();
			lines_path(table, &unit, row.file, &arena);
		}
	}
	lines_destroy(table);
	sections_destroy(dwarf.sections);
	arena_deinit(&arena);
	return 0;
}
