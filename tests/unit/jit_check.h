/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of the JIT map that hold for any input. */
#pragma once

#include <stdlib.h>

#include "process/jit/map.h"
#include "util/cleanup.h"

/* Finishes MAP and aborts unless what it finds is within its bounds. MAP is gone then. */
static inline void jit_check(struct jit_map *map)
{
	bool ambiguous;

	jit_map_finish(map);
	vec_each(symbol, &map->symbols) {
		uint64_t address = symbol->start;
		const struct jit_symbol *found = jit_map_find(map, address, 0, &ambiguous);

		if (symbol->end <= address ||
			symbol->n_lines > map->lines.len - symbol->first_line ||
			(found && (found->start > address || found->end <= address)))
			abort();
		if (found)
			(void)jit_map_line(map, found, address);
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
