// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/known_copy.h"

static const char *copy_string(struct arena *memory, const char *s)
{
	return s ? arena_string(memory, s) : NULL;
}

static const struct frame_object *copy_object(
	struct arena *memory, const struct frame_object *object)
{
	struct frame_object *copy = object ? arena_alloc(memory, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = (struct frame_object){.path = copy_string(memory, object->path),
		.name = copy_string(memory, object->name),
		.build_id = object->build_id,
		.found_by = copy_string(memory, object->found_by),
		.debug_path = copy_string(memory, object->debug_path)};
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
		copy[i].function = copy_string(memory, frame->function);
		copy[i].shown = copy_string(memory, frame->shown);
		copy[i].linkage = copy_string(memory, frame->linkage);
		copy[i].qualifier = copy_string(memory, frame->qualifier);
		copy[i].file = copy_string(memory, frame->file);
		copy[i].prototypes = copy_prototypes(memory, frame);
		copy[i].source = NULL;
	}
	return copy;
}

static const struct location *copy_location(struct arena *memory, const struct location *location)
{
	struct location *copy = location ? arena_alloc(memory, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = *location;
	copy->object = copy_object(memory, location->object);
	copy->frames = copy_frames(memory, location);
	copy->detail = copy_string(memory, location->detail);
	return copy;
}

const struct location *const *known_copy(
	struct arena *memory, const struct location *const *known, size_t n)
{
	const struct location **copy = arena_alloc(memory, n * sizeof(struct location *));

	for (size_t i = 0; i < n; i++)
		copy[i] = copy_location(memory, known[i]);
	return copy;
}
