// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/stacks.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "input/stacks/stack_store.h"
#include "util/vec.h"
#include "util/xalloc.h"

void live_stacks_init(const struct live_maps *maps, struct live_stacks *ret)
{
	size_t size = 0;

	vec_each(map, &maps->all)
		if (map->kind == LIVE_STACKS && map->value_size > size)
			size = map->value_size;
	*ret = (struct live_stacks){.maps = maps, .value = xmalloc(size)};
}

void live_stacks_deinit(struct live_stacks *stacks)
{
	free(stacks->value);
	*stacks = (struct live_stacks){};
}

/* Returns the stack that ID has in MAP now, or one that is STACK_ABSENT if it has none of SIDE. */
static struct stack look_up(const struct live_stacks *stacks, const struct live_map *map,
	const struct address_halves *halves, uint32_t id, enum address_side side,
	struct arena *memory)
{
	struct stack stack = {.state = STACK_ABSENT};

	if (map->kind != LIVE_STACKS || bpf_map_lookup_elem(map->fd, &id, stacks->value))
		return stack;
	stack = stack_of_bytes(memory, stacks->value, map->value_size,
		map->flags & BPF_F_STACK_BUILD_ID ? INPUT_SHAPE_BUILD_IDS : INPUT_SHAPE_ADDRESSES);
	stack.id = id;
	enum address_side leaf = address_leaf_side(halves, &stack);
	if (side != SIDE_UNKNOWN && leaf != SIDE_UNKNOWN && leaf != side)
		stack.state = STACK_ABSENT;
	return stack;
}

static bool is_same(const struct stack *a, const struct stack *b)
{
	if (a->depth != b->depth || !a->origins != !b->origins ||
		memcmp(a->values, b->values, a->depth * sizeof(*a->values)))
		return false;
	for (size_t i = 0; a->origins && i < a->depth; i++)
		if (!build_id_equal(&a->origins[i].build_id, &b->origins[i].build_id))
			return false;
	return true;
}

enum stack_found live_stacks_find(void *context, const struct address_halves *halves, uint32_t id,
	enum address_side side, struct arena *memory, struct stack *ret)
{
	const struct live_stacks *stacks = context;
	struct stack found = {.state = STACK_ABSENT};

	vec_each(map, &stacks->maps->all) {
		struct stack stack = look_up(stacks, map, halves, id, side, memory);

		if (stack.state == STACK_ABSENT)
			continue;
		if (found.state != STACK_ABSENT && !is_same(&found, &stack))
			return STACK_DOUBTFUL;
		found = stack;
	}
	if (found.state == STACK_ABSENT)
		return STACK_NOT_FOUND;
	*ret = found;
	return STACK_FOUND;
}
