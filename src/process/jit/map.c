// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/map.h"

#include <string.h>

#include "model/name_limit.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/table.h"

void jit_map_deinit(struct jit_map *map)
{
	vec_deinit(&map->symbols);
	vec_deinit(&map->lines);
	history_deinit(&map->history);
	arena_deinit(&map->strings);
}

void jit_map_clear(struct jit_map *map)
{
	map->symbols.len = map->lines.len = 0;
	jit_map_finish(map);
}

static bool fits(const struct jit_map *map, uint64_t start, uint64_t size)
{
	return size && size <= UINT64_MAX - start && map->symbols.len < JIT_SYMBOLS_MAX;
}

/*
 * Adds a symbol. At the limit, makes all code unknown, because the symbols that are left out may
 * have replaced any of it.
 */
static void add(struct jit_map *map, uint64_t start, uint64_t size, const char *name)
{
	struct jit_symbol symbol = {start, start + size, name, .first_line = map->lines.len};

	if (map->symbols.len == JIT_SYMBOLS_MAX - 1) {
		symbol.start = 0;
		symbol.end = UINT64_MAX;
		symbol.name = "";
	}
	vec_push(&map->symbols, symbol);
}

bool jit_map_add(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t len)
{
	if (!fits(map, start, size))
		return false;
	add(map, start, size, name_limit_copy(&map->strings, name, len));
	return true;
}

bool jit_map_add_again(struct jit_map *map, uint64_t start, uint64_t size, size_t number)
{
	if (!fits(map, start, size))
		return false;
	add(map, start, size, map->symbols.data[number].name);
	return true;
}

void jit_map_finish(struct jit_map *map)
{
	scope_guard(table_deinit) struct table names = {};

	history_deinit(&map->history);
	map->history = (struct history){};
	for (size_t i = 0; i < map->symbols.len; i++) {
		const struct jit_symbol *symbol = &map->symbols.data[i];

		(void)history_add(
			&map->history, (struct history_span){
					       .start = symbol->start,
					       .end = symbol->end,
					       .since = symbol->since,
					       .begin = symbol->begin,
					       .gone = symbol->gone,
					       .what = (uint32_t)table_number(
						       &names, symbol->name, strlen(symbol->name)),
					       .item = (uint32_t)i,
				       });
	}
	history_finish(&map->history);
}

const struct jit_symbol *jit_map_find(
	const struct jit_map *map, uint64_t address, uint64_t time, bool *ambiguous)
{
	const struct history_span *span = history_at(&map->history, address, time, ambiguous);
	const struct jit_symbol *symbol = span ? &map->symbols.data[span->item] : NULL;

	return symbol && *symbol->name ? symbol : NULL;
}

const struct jit_line *jit_map_line(
	const struct jit_map *map, const struct jit_symbol *symbol, uint64_t address)
{
	if (!symbol->n_lines)
		return NULL;
	const struct jit_line *lines = map->lines.data + symbol->first_line;
	size_t n = sorted_count(lines, symbol->n_lines, .address <= address);
	return n ? &lines[n - 1] : NULL;
}
