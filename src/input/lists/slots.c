// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/slots.h"

void slots_deinit(struct slots *slots)
{
	vec_deinit(&slots->values);
	vec_deinit(&slots->origins);
	vec_deinit(&slots->known);
}

void slots_clear(struct slots *slots)
{
	slots->values.len = slots->origins.len = slots->known.len = 0;
	slots->in_files = false;
}

void slots_add(struct slots *slots, uint64_t value, struct stack_origin origin)
{
	vec_push(&slots->values, value);
	vec_push(&slots->origins, origin);
	slots->in_files |= origin.build_id.len || origin.file;
}

void slots_add_known(struct slots *slots, uint64_t value, struct stack_origin origin,
	const struct location *location)
{
	slots_add(slots, value, origin);
	vec_push(&slots->known, location);
}

struct stack slots_stack(const struct slots *slots, size_t depth)
{
	return (struct stack){.state = depth ? STACK_PRESENT : STACK_ABSENT,
		.id = -1,
		.depth = depth,
		.values = slots->values.data,
		.origins = slots->in_files ? slots->origins.data : NULL,
		.known = slots->known.data};
}
