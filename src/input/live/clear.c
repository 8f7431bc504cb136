// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/clear.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "input/live/entries.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

/* Stack IDs are numbers of buckets, and these are fewer (kernel/bpf/stackmap.c). */
enum { ID_END = 1 << 26 };

/* The IDs that are still named: a bit each. */
struct named {
	uint8_t *bits; /* (end + 7) / 8 bytes */
	uint32_t end;
	const struct live_map *map; /* that is read */
	struct live_entries entries;
};

static void named_cleanup(struct named *named)
{
	free(named->bits);
}

void live_clear_deinit(struct live_clear *clear)
{
	vec_deinit(&clear->stacks);
}

void live_clear_note(struct live_clear *clear, const struct live_map *map, const uint8_t *key)
{
	struct live_cleared stack = {.map = map};

	memcpy(&stack.id, key, sizeof(stack.id));
	vec_push(&clear->stacks, stack);
}

/* Whatever the layout: every number that could be an ID is taken for one. */
static void add_numbers(struct named *named, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + sizeof(uint32_t) <= len; i++) {
		uint32_t id;

		memcpy(&id, bytes + i, sizeof(id));
		if (id < named->end)
			named->bits[id / 8] |= (uint8_t)(1 << id % 8);
	}
}

static void add_entry(void *context, const uint8_t *key, const uint8_t *value)
{
	struct named *named = context;

	add_numbers(named, key, named->map->key_size);
	for (size_t i = 0; i < named->entries.n_cpus; i++)
		add_numbers(named, value + i * named->entries.stride, named->map->value_size);
}

static struct error *read_named(const struct live_maps *maps, struct named *named)
{
	for (size_t i = 0; i < maps->all.len; i++) {
		named->map = &maps->all.data[i];
		named->entries = (struct live_entries){.entry = add_entry, .context = named};
		if (named->map->kind == LIVE_COUNTS && !named->map->is_queue)
			try(live_entries_read(named->map, &named->entries));
	}
	return NULL;
}

struct error *live_clear_stacks(
	const struct live_clear *clear, const struct live_maps *maps, uint64_t *kept_ret)
{
	scope_guard(named_cleanup) struct named named = {};
	uint64_t kept = 0;

	for (size_t i = 0; i < clear->stacks.len; i++)
		if (clear->stacks.data[i].id >= named.end && clear->stacks.data[i].id < ID_END)
			named.end = clear->stacks.data[i].id + 1;
	named.bits = xcalloc(1, named.end / 8 + 1);
	try(read_named(maps, &named));
	for (size_t i = 0; i < clear->stacks.len; i++) {
		const struct live_cleared *stack = &clear->stacks.data[i];

		if (stack->id >= named.end || named.bits[stack->id / 8] >> stack->id % 8 & 1)
			kept++;
		else if (bpf_map_delete_elem(stack->map->fd, &stack->id) && errno != ENOENT)
			return error_errno(errno, "%s: cannot clear it", stack->map->label);
	}
	*kept_ret = kept;
	return NULL;
}
