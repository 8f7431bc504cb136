// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/map.h"

#include <string.h>

#include "model/name_limit.h"
#include "util/sort.h"

/* maximum number of earlier symbols at an address whose names are compared */
enum { OLDER_MAX = 64 };

void jit_map_deinit(struct jit_map *map)
{
	vec_deinit(&map->symbols);
	vec_deinit(&map->lines);
	vec_deinit(&map->ranges);
	arena_deinit(&map->strings);
}

void jit_map_clear(struct jit_map *map)
{
	map->symbols.len = map->lines.len = map->ranges.len = 0;
	map->has_old_names = map->strings.bytes > 0;
}

static bool fits(const struct jit_map *map, uint64_t start, uint64_t size)
{
	return size && size <= UINT64_MAX - start && map->symbols.len < JIT_SYMBOLS_MAX;
}

/* Adds a symbol. The last one makes all code unknown: those left out may have replaced any code. */
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

/* The number and start address of a symbol, for sorting. */
struct symbol_start {
	uint64_t address;
	size_t symbol;
};

COMPARE(compare_starts, struct symbol_start, order_of(a->address, b->address))

/* A binary heap of symbol numbers, the largest (latest) on top. */
struct heap VEC(size_t);

static void heap_push(struct heap *heap, size_t symbol)
{
	size_t at = heap->len;

	vec_push(heap, symbol);
	for (; at && heap->data[(at - 1) / 2] < symbol; at = (at - 1) / 2)
		heap->data[at] = heap->data[(at - 1) / 2];
	heap->data[at] = symbol;
}

static void heap_pop(struct heap *heap)
{
	size_t last = heap->data[--heap->len], at = 0, child;

	while ((child = 2 * at + 1) < heap->len) {
		if (child + 1 < heap->len && heap->data[child + 1] > heap->data[child])
			child++;
		if (heap->data[child] <= last)
			break;
		heap->data[at] = heap->data[child];
		at = child;
	}
	heap->data[at] = last;
}

/* Returns true if an older symbol in the heap has another name than the one on top. */
static bool has_replaced(const struct jit_map *map, const struct heap *heap)
{
	const struct jit_symbol *symbols = map->symbols.data;

	for (size_t i = 1; i < heap->len && i < OLDER_MAX; i++)
		if (strcmp(symbols[heap->data[i]].name, symbols[heap->data[0]].name) != 0)
			return true;
	return false;
}

static void add_range(struct jit_map *map, uint64_t start, uint64_t end, const struct heap *heap)
{
	size_t symbol = heap->data[0];
	bool replaced = has_replaced(map, heap);
	struct jit_range *last = map->ranges.len ? vec_last(&map->ranges) : NULL;

	if (last && last->symbol == symbol && last->end == start && last->replaced == replaced)
		last->end = end;
	else
		vec_push(&map->ranges, (struct jit_range){start, end, symbol, replaced});
}

/* Visits the addresses in ascending order. HEAP has the symbols that contain the current one. */
static void sweep(
	struct jit_map *map, const struct symbol_start *starts, size_t n, struct heap *heap)
{
	const struct jit_symbol *symbols = map->symbols.data;
	uint64_t at = 0;

	for (size_t i = 0; i < n || heap->len;) {
		if (!heap->len && starts[i].address > at)
			at = starts[i].address;
		for (; i < n && starts[i].address <= at; i++)
			heap_push(heap, starts[i].symbol);
		while (heap->len && symbols[heap->data[0]].end <= at)
			heap_pop(heap);
		if (!heap->len)
			continue;
		uint64_t end = symbols[heap->data[0]].end;
		if (i < n && starts[i].address < end)
			end = starts[i].address;
		add_range(map, at, end, heap);
		at = end;
	}
}

void jit_map_finish(struct jit_map *map)
{
	struct VEC(struct symbol_start) starts = {};
	struct heap heap = {};

	map->ranges.len = 0;
	for (size_t i = 0; i < map->symbols.len; i++)
		vec_push(&starts, (struct symbol_start){map->symbols.data[i].start, i});
	vec_sort(&starts, compare_starts);
	sweep(map, starts.data, starts.len, &heap);
	vec_deinit(&starts);
	vec_deinit(&heap);
}

static const struct jit_range *find_range(const struct jit_map *map, uint64_t address)
{
	size_t i = sorted_count(map->ranges.data, map->ranges.len, .end <= address);

	return i < map->ranges.len && map->ranges.data[i].start <= address ? &map->ranges.data[i]
									   : NULL;
}

const struct jit_symbol *jit_map_find(const struct jit_map *map, uint64_t address)
{
	const struct jit_range *range = find_range(map, address);
	const struct jit_symbol *symbol = range ? &map->symbols.data[range->symbol] : NULL;

	return symbol && *symbol->name ? symbol : NULL;
}

bool jit_map_replaced(const struct jit_map *map, uint64_t address)
{
	const struct jit_range *range = find_range(map, address);

	return range && range->replaced;
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
