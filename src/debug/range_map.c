// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/range_map.h"

#include "util/sort.h"
#include "util/vec.h"

void range_map_add(
	struct range_map *map, uint64_t start, uint64_t end, uint32_t value, uint32_t rank)
{
	if (start < end)
		vec_push(map, (struct range){start, end, value, rank});
}

/* Sorts outer ranges before the ranges that they contain. */
COMPARE(compare_ranges, struct range,
	order_of(a->start, b->start)
	?: order_of(b->end, a->end)
	?: order_of(a->rank, b->rank)
	?: order_of(b->value, a->value))

struct sweep {
	struct range_map out;
	struct range_map open; /* stack of the ranges that contain the cursor, innermost last */
	uint64_t cursor;       /* end of what was emitted so far */
};

/* Emits [cursor, end) for the innermost open range. */
static void sweep_emit(struct sweep *sweep, uint64_t end)
{
	const struct range *top = &sweep->open.data[sweep->open.len - 1];
	struct range *last = sweep->out.len ? &sweep->out.data[sweep->out.len - 1] : NULL;

	if (sweep->cursor >= end)
		return;
	if (last && last->end == sweep->cursor && last->value == top->value)
		last->end = end;
	else
		vec_push(&sweep->out, (struct range){sweep->cursor, end, top->value, top->rank});
	sweep->cursor = end;
}

static void sweep_close(struct sweep *sweep, uint64_t until)
{
	while (sweep->open.len && sweep->open.data[sweep->open.len - 1].end <= until) {
		sweep_emit(sweep, sweep->open.data[sweep->open.len - 1].end);
		sweep->open.len--;
	}
	if (sweep->open.len)
		sweep_emit(sweep, until);
}

void range_map_finish(struct range_map *map)
{
	struct sweep sweep = {};
	size_t finished = 1;

	while (finished < map->len && map->data[finished].start >= map->data[finished - 1].end)
		finished++;
	if (finished >= map->len)
		return;
	radix_sort_by(map->data, map->len, sizeof(*map->data), compare_ranges);
	for (size_t i = 0; i < map->len; i++) {
		sweep_close(&sweep, map->data[i].start);
		sweep.cursor = map->data[i].start;
		vec_push(&sweep.open, map->data[i]);
	}
	sweep_close(&sweep, UINT64_MAX);
	vec_deinit(&sweep.open);
	vec_deinit(map);
	*map = sweep.out;
}

const struct range *range_map_innermost(const struct range_map *map)
{
	const struct range *last = map->data;

	for (size_t i = 1; i < map->len; i++)
		if (compare_ranges(&map->data[i], last) > 0)
			last = &map->data[i];
	return map->len ? last : NULL;
}

const struct range *range_map_find(const struct range_map *map, uint64_t address)
{
	size_t n = sorted_count(map->data, map->len, .start <= address);

	return n && address < map->data[n - 1].end ? &map->data[n - 1] : NULL;
}

uint64_t range_map_next(const struct range_map *map, uint64_t address)
{
	size_t n = sorted_count(map->data, map->len, .start <= address);

	return n < map->len ? map->data[n].start : UINT64_MAX;
}
