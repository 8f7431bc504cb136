// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/walks.h"

#include <string.h>

/* Shorter sweeps neither use nor extend `known`, which has at most KNOWN_MAX ranges. */
enum { SWEEP_MIN = 1024, KNOWN_MAX = 1 << 19 };

void walks_deinit(struct walks *walks)
{
	vec_deinit(&walks->known);
	vec_deinit(&walks->added);
}

void walks_begin(struct walks *walks, size_t n)
{
	walks->at = walks->added.len = 0;
	walks->last = (struct walk_range){};
	walks->asking = n >= SWEEP_MIN;
}

static bool holds(const struct walk_range *range, uint64_t address)
{
	return address - range->start < range->len;
}

const struct walk_range *walks_find(struct walks *walks, uint64_t address)
{
	if (holds(&walks->last, address))
		return &walks->last;
	if (!walks->asking)
		return NULL;
	while (walks->at < walks->known.len &&
		walks->known.data[walks->at].start + walks->known.data[walks->at].len <= address)
		walks->at++;
	if (walks->at == walks->known.len)
		return NULL;
	const struct walk_range *range = &walks->known.data[walks->at];
	return holds(range, address) ? range : NULL;
}

const struct walk_range *walks_add(struct walks *walks, const struct walk_range *range)
{
	walks->last = *range;
	if (walks->asking)
		vec_push(&walks->added, walks->last);
	return &walks->last;
}

void walks_end(struct walks *walks)
{
	size_t old = walks->known.len, new = walks->added.len;

	if (!new || old + new > KNOWN_MAX)
		return;
	vec_reserve(&walks->known, new);
	walks->known.len = old + new;
	/* Merge from the end, so that no range is overwritten before it is moved. */
	for (size_t to = old + new; new;) {
		struct walk_range *known = walks->known.data, *added = walks->added.data;

		known[--to] = old && known[old - 1].start > added[new - 1].start ? known[--old]
										 : added[--new];
	}
	walks->added.len = 0;
}
