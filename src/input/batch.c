// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/batch.h"

#include <stdlib.h>
#include <string.h>

#include "model/stack.h"
#include "util/vec.h"
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

void batch_init(struct batch *batch, struct input_sink *sink)
{
	*batch = (struct batch){.sink = sink};
}

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

static const struct frame_object *copy_object(
	struct arena *memory, const struct frame_object *object)
{
	struct frame_object *copy = object ? arena_alloc(memory, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = (struct frame_object){.path = arena_string(memory, object->path),
		.name = arena_string(memory, object->name),
		.build_id = object->build_id,
		.found_by = arena_string(memory, object->found_by),
		.debug_path = arena_string(memory, object->debug_path)};
	return copy;
}

static const char *const *copy_prototypes(struct arena *memory, const struct frame *frame)
{
	const char **copy = arena_alloc(memory, frame->n_prototypes * sizeof(*copy));

	for (uint32_t i = 0; i < frame->n_prototypes; i++)
		copy[i] = arena_string(memory, frame->prototypes[i]);
	return copy;
}

static const struct frame *copy_frames(struct arena *memory, const struct location *location)
{
	struct frame *copy = arena_alloc(memory, location->n_frames * sizeof(*copy));

	for (size_t i = 0; i < location->n_frames; i++) {
		const struct frame *frame = &location->frames[i];

		copy[i] = *frame;
		copy[i].function = arena_string(memory, frame->function);
		copy[i].shown = arena_string(memory, frame->shown);
		copy[i].linkage = arena_string(memory, frame->linkage);
		copy[i].qualifier = arena_string(memory, frame->qualifier);
		copy[i].file = arena_string(memory, frame->file);
		copy[i].prototypes = copy_prototypes(memory, frame);
		copy[i].source = NULL;
	}
	return copy;
}

static struct location *copy_location(struct arena *memory, const struct location *location)
{
	struct location *copy = location ? arena_alloc(memory, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = *location;
	copy->object = copy_object(memory, location->object);
	copy->frames = copy_frames(memory, location);
	copy->detail = arena_string(memory, location->detail);
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

/*
 * Copies N locations that an earlier run resolved, and all that they point to. NULL stays, and so
 * do those of batch_name(), which have a number.
 */
static const struct location *const *copy_known(
	struct batch *batch, const struct location *const *known, size_t n)
{
	const struct location **copy = arena_alloc(&batch->memory, n * sizeof(struct location *));

	for (size_t i = 0; i < n; i++)
		copy[i] = known[i] && known[i]->serial ? known[i]
						       : copy_location(&batch->memory, known[i]);
	return copy;
}

static const struct stack_file *copy_file(struct batch *batch, const struct stack_file *file)
{
	struct stack_file *copy = file ? arena_alloc(&batch->memory, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = *file;
	copy->path = arena_string(&batch->memory, file->path);
	copy->symbol = arena_string(&batch->memory, file->symbol);
	return copy;
}

static void copy_stack(struct batch *batch, struct stack *stack)
{
	uint64_t *values = arena_alloc(&batch->memory, stack->depth * sizeof(*values));

	if (!stack->depth)
		return;
	memcpy(values, stack->values, stack->depth * sizeof(*values));
	stack->values = values;
	if (stack->known)
		stack->known = copy_known(batch, stack->known, stack->depth);
	if (!stack->origins)
		return;
	struct stack_origin *origins = arena_alloc(&batch->memory, stack->depth * sizeof(*origins));
	memcpy(origins, stack->origins, stack->depth * sizeof(*origins));
	array_each(origin, origins, stack->depth)
		origin->file = copy_file(batch, origin->file);
	stack->origins = origins;
}

struct error *batch_add_copy(struct batch *batch, const struct sample *sample)
{
	struct sample added = *sample;

	copy_stack(batch, &added.user);
	copy_stack(batch, &added.kernel);
	return batch_add(batch, &added);
}
