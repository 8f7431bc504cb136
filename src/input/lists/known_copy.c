// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/known_copy.h"

#include <string.h>

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

static struct location *copy_location(struct arena *memory, const struct location *location)
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

/* Returns true if LOCATION was read from text and consists of a name only. */
static bool is_name_alone(const struct location *location)
{
	const struct frame *frame = location->frames;

	return location->source >= SOURCE_TEXT && location->n_frames == 1 && frame->function &&
	       !frame->file && !frame->has_offset && !location->object && !location->has_address &&
	       !location->doubtful;
}

/* Returns a copy of LOCATION, a name only, which equal locations share. */
static const struct location *copy_name(
	struct known_copies *copies, struct arena *memory, const struct location *location)
{
	const char *name = location->frames->function;
	uint64_t *kept = table_at(&copies->by_name, name, strlen(name), NULL);
	const struct location *same = (const struct location *)(uintptr_t)*kept;

	if (same && same->kind == location->kind && same->source == location->source)
		return same;
	struct location *copy = copy_location(memory, location);
	copy->serial = SERIAL_KNOWN + ++copies->serials;
	*kept = (uintptr_t)copy;
	return copy;
}

const struct location *const *known_copy(struct known_copies *copies, struct arena *memory,
	const struct location *const *known, size_t n)
{
	const struct location **copy = arena_alloc(memory, n * sizeof(struct location *));

	for (size_t i = 0; i < n; i++)
		copy[i] = known[i] && is_name_alone(known[i]) ? copy_name(copies, memory, known[i])
							      : copy_location(memory, known[i]);
	return copy;
}
