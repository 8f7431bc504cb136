/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of the JIT map that hold for any input. */
#pragma once

#include <stdlib.h>

#include "process/jit/formats.h"
#include "util/cleanup.h"

/* Finishes MAP and aborts unless it is ordered and within its bounds. MAP is gone then. */
static inline void jit_check(struct jit_map *map)
{
	uint64_t last = 0;

	jit_map_finish(map);
	for (size_t i = 0; i < map->ranges.len; i++) {
		const struct jit_range *range = &map->ranges.data[i];
		const struct jit_symbol *symbol = &map->symbols.data[range->symbol];

		if (range->start < last || range->end <= range->start ||
			range->start < symbol->start || range->end > symbol->end ||
			symbol->n_lines > map->lines.len - symbol->first_line ||
			jit_map_find(map, range->start) != (*symbol->name ? symbol : NULL))
			abort();
		(void)jit_map_line(map, symbol, range->start);
		last = range->end;
	}
	jit_map_deinit(map);
}

/* Reads the whole jitdump of LEN bytes. */
static inline bool jitdump_parse(const void *bytes, size_t len, struct jit_map *ret)
{
	scope_guard(jitdump_deinit) struct jitdump dump = {};
	size_t used;

	return jitdump_read(&dump, bytes, len, ret, &used);
}
