/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of the JIT map that hold for any input. */
#pragma once

#include <stdlib.h>

#include "process/jit/jit_map.h"
#include "util/cleanup.h"

/* Finishes MAP and aborts unless what it finds is within its bounds. MAP is gone then. */
static inline void jit_check(struct jit_map *map)
{
	history_finish(&map->history);
	if (map->history.spans.len != map->symbols.len)
		abort();
	vec_each(symbol, &map->symbols)
		if (symbol->n_lines > map->lines.len - symbol->first_line)
			abort();
	vec_each(span, &map->history.spans) {
		const struct history_span *found = jit_map_find(map, span->start, 0).span;

		if (span->end <= span->start ||
			(found && (found->start > span->start || found->end <= span->start)))
			abort();
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
