// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a jitdump: what comes out is ordered and within bounds. */
#include <stdlib.h>

#include "process/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct jit_map *map)
{
	uint64_t last = 0;

	for (size_t i = 0; i < map->ranges.len; i++) {
		const struct jit_range *range = &map->ranges.data[i];
		const struct jit_symbol *symbol = &map->symbols.data[range->symbol];

		if (range->start < last || range->end <= range->start ||
			range->start < symbol->start || range->end > symbol->end ||
			symbol->n_lines > map->lines.len - symbol->first_line ||
			jit_map_find(map, range->start) != symbol)
			abort();
		(void)jit_map_line(map, symbol, range->start);
		last = range->end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_map map = {};

	(void)jitdump_parse((const char *)data, size, &map);
	jit_map_finish(&map);
	check(&map);
	jit_map_deinit(&map);
	return 0;
}
