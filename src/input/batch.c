// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/batch.h"

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define SAMPLES_MAX 16384
/*
 * Limits the memory of the next stages. A new address takes about 500 bytes there, and one seen
 * before almost none. The limit is high because larger batches read compressed debug info less
 * often.
 */
#define COST_MAX (1U << 20)
#define NEW_COST 16
#define SEEN_COST 1
#define SEEN_MAX (1U << 13)    /* addresses; a power of two */
#define MEMORY_MAX (16U << 20) /* bytes */
#define NAMED_MAX (32U << 20)  /* bytes */
#define ORIGIN_COST 8	       /* a value with its build ID is about 8 times as large */
#define SNAPSHOT_COST 8 /* bytes of a snapshot per NEW_COST; a batch should fit the CPU cache */

void batch_deinit(struct batch *batch)
{
	vec_deinit(&batch->samples);
	free(batch->seen);
	arena_deinit(&batch->memory);
	table_deinit(&batch->names);
	arena_deinit(&batch->named);
}

static void forget(struct batch *batch)
{
	arena_clear(&batch->memory);
	batch->forgotten = batch->memory.bytes;
	if (batch->named.bytes < NAMED_MAX)
		return;
	table_clear(&batch->names);
	arena_deinit(&batch->named);
}

struct error *batch_deliver(struct batch *batch, bool flush)
{
	size_t n = batch->samples.len;

	if (!n && !flush)
		return NULL;
	struct error *error =
		batch->sink->batch(batch->sink->context, batch->samples.data, n, flush);
	batch->delivered += n;
	batch->samples.len = 0;
	batch->cost = 0;
	forget(batch);
	return error;
}

struct error *batch_make_room(struct batch *batch)
{
	if (batch->memory.bytes - batch->forgotten < MEMORY_MAX && batch->named.bytes < NAMED_MAX)
		return NULL;
	if (batch->samples.len)
		return batch_deliver(batch, false);
	forget(batch);
	return NULL;
}

static size_t stack_cost(struct batch *batch, const struct stack *stack)
{
	size_t cost = stack->depth * SEEN_COST;

	if (stack->origins)
		return stack->depth * NEW_COST * ORIGIN_COST;
	if (!batch->seen)
		batch->seen = xcalloc(SEEN_MAX, sizeof(*batch->seen));
	for (size_t i = 0; i < stack->depth; i++) {
		uint64_t value = stack->values[i];
		uint64_t *seen = &batch->seen[(value ^ value >> 13) % SEEN_MAX];

		cost += *seen == value ? 0 : NEW_COST - SEEN_COST;
		*seen = value;
	}
	return cost;
}

struct error *batch_add(struct batch *batch, const struct sample *sample)
{
	struct sample added = *sample;

	added.comm = arena_string(&batch->memory, sample->comm);
	added.position = arena_string(&batch->memory, sample->position);
	added.boot_id = arena_string(&batch->memory, sample->boot_id);
	vec_push(&batch->samples, added);
	batch->cost += stack_cost(batch, &added.user) + stack_cost(batch, &added.kernel);
	if (sample->snapshot)
		batch->cost += sample->snapshot->len / SNAPSHOT_COST * NEW_COST;
	if (batch->samples.len < SAMPLES_MAX && batch->cost < COST_MAX)
		return batch_make_room(batch);
	return batch_deliver(batch, false);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies LOCATION, which an earlier run resolved, and all that it points to. */
static const struct location *copy_location(struct arena *memory, const struct location *location)
{
	struct location *copy = arena_clone(memory, location, sizeof(*copy));
	size_t n = location->n_frames;
	struct frame *frames = arena_clone(memory, location->frames, n * sizeof(*frames));

	copy->frames = frames;
	copy->detail = arena_string(memory, location->detail);
	if (location->object) {
		struct frame_object *object = arena_alloc(memory, sizeof(*object));

		*object = (struct frame_object){
			.path = arena_string(memory, location->object->path),
			.name = arena_string(memory, location->object->name),
			.build_id = location->object->build_id,
			.found_by = arena_string(memory, location->object->found_by),
			.debug_path = arena_string(memory, location->object->debug_path),
		};
		copy->object = object;
	}
	array_each(frame, frames, n) {
		const char **prototypes =
			arena_alloc(memory, frame->n_prototypes * sizeof(*prototypes));

		for (uint32_t i = 0; i < frame->n_prototypes; i++)
			prototypes[i] = arena_string(memory, frame->prototypes[i]);
		frame->function = arena_string(memory, frame->function);
		frame->shown = arena_string(memory, frame->shown);
		frame->linkage = arena_string(memory, frame->linkage);
		frame->qualifier = arena_string(memory, frame->qualifier);
		frame->file = arena_string(memory, frame->file);
		frame->prototypes = prototypes;
		frame->source = NULL;
	}
	return copy;
}

const struct location *batch_name(
	struct batch *batch, enum location_kind kind, enum frame_source source, const char *name)
{
	uint64_t *kept = table_at(&batch->names, name, strlen(name), NULL);
	const struct location *same = (const struct location *)(uintptr_t)*kept;

	if (same && same->kind == kind && same->source == source)
		return same;
	struct frame *frame = arena_alloc(&batch->named, sizeof(*frame));
	struct location *location = arena_alloc(&batch->named, sizeof(*location));
	*frame = (struct frame){.function = arena_string(&batch->named, name)};
	*location = (struct location){.kind = kind,
		.status = FRAME_NAMED,
		.source = source,
		.serial = SERIAL_KNOWN + ++batch->serials,
		.frames = frame,
		.n_frames = 1};
	*kept = (uintptr_t)location;
	return location;
}

static void copy_stack(struct batch *batch, struct stack *stack)
{
	struct arena *memory = &batch->memory;
	size_t n = stack->depth;

	if (!n)
		return;
	stack->values = arena_clone(memory, stack->values, n * sizeof(*stack->values));
	if (stack->known) {
		const struct location **known =
			arena_clone(memory, stack->known, n * sizeof(*known));

		for (size_t i = 0; i < n; i++)
			if (known[i] && !known[i]->serial) /* those of batch_name() have a number */
				known[i] = copy_location(memory, known[i]);
		stack->known = known;
	}
	if (!stack->origins)
		return;
	struct stack_origin *origins = arena_clone(memory, stack->origins, n * sizeof(*origins));
	array_each(origin, origins, n) {
		if (!origin->file)
			continue;
		struct stack_file *file = arena_clone(memory, origin->file, sizeof(*file));
		file->path = arena_string(memory, file->path);
		file->symbol = arena_string(memory, file->symbol);
		origin->file = file;
	}
	stack->origins = origins;
}

struct error *batch_add_copy(struct batch *batch, const struct sample *sample)
{
	struct sample added = *sample;

	copy_stack(batch, &added.user);
	copy_stack(batch, &added.kernel);
	return batch_add(batch, &added);
}
