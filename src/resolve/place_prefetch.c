// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_by_id.h"
#include "resolve/place_prefetch.h"

#include "resolve/known.h"
#include "util/stop.h"

void place_prefetch(struct places *places, const struct sample *sample)
{
	const struct stack *stack = &sample->user;

	if (!places->objects.fetcher || stack->state != STACK_PRESENT)
		return;
	for (size_t i = 0; i < stack->depth && !stop_asked(); i++) {
		const struct build_id *id = stack->origins ? &stack->origins[i].build_id : NULL;

		/* short names alone are no reason to fetch */
		if (known_final(stack, i, NAMES_FULL))
			continue;
		if (id && id->len) {
			object_prefetch_by_build_id(
				&places->objects, &places->spaces, sample->pid, id);
			continue;
		}
		if ((stack->origins && stack->origins[i].file) || sample->read_back)
			continue;
		if (sample->pid < 0 || sample->boot_id || (stack->exact && places->fixed))
			continue;
		const struct space *space = space_at(&places->spaces, sample->pid, sample->time);
		const struct mapping *mapping =
			space_mapping_at(space, space->life ? sample->time : 0, stack->values[i]);
		if (mapping && mapping->executable && !mapping->ambiguous)
			object_prefetch_by_mapping(&places->objects, space, mapping);
	}
}
