// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/inner.h"

#include <bpf/bpf.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

bool live_inner_any(const struct live_maps *maps)
{
	for (size_t i = 0; i < maps->all.len; i++)
		if (maps->all.data[i].kind == LIVE_MAPS)
			return true;
	return false;
}

/* What was found in maps of maps before. */
static void drop_inner(struct live_maps *maps)
{
	size_t kept = 0;

	for (size_t i = 0; i < maps->all.len; i++) {
		if (maps->all.data[i].is_inner)
			live_map_deinit(&maps->all.data[i]);
		else
			maps->all.data[kept++] = maps->all.data[i];
	}
	maps->all.len = kept;
}

static struct error *add_one(struct live_maps *maps, uint32_t id, size_t *n)
{
	bool added;

	try(live_maps_add_inner(maps, id, "--map", &added));
	*n += added;
	if (*n > LIVE_INNER_MAX)
		return error_create(ERROR_INPUT,
			"--map: more than %d maps in maps: choose some with id:N", LIVE_INNER_MAX);
	return NULL;
}

/* What the entries of OUTER, one of MAPS, are: their values read as IDs. */
static struct error *add_all(struct live_maps *maps, const struct live_map *outer, size_t *n)
{
	uint64_t steps = 4 * (uint64_t)outer->max_entries + 1024; /* it may change meanwhile */
	auto_free uint8_t *key = xcalloc(1, outer->key_size);
	int fd = outer->fd; /* OUTER moves when MAPS grows */
	int failed = bpf_map_get_next_key(fd, NULL, key);
	uint32_t id;

	for (; !failed && --steps; failed = bpf_map_get_next_key(fd, key, key))
		if (!bpf_map_lookup_elem(fd, key, &id))
			try(add_one(maps, id, n));
	return NULL;
}

struct error *live_inner_follow(struct live_maps *maps)
{
	size_t n = 0;

	drop_inner(maps);
	for (size_t i = 0, given = maps->all.len; i < given; i++)
		if (maps->all.data[i].kind == LIVE_MAPS)
			try(add_all(maps, &maps->all.data[i], &n));
	return NULL;
}
