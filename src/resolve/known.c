// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/resolver.h"

/* bytes of names that may stay for the next batch */
enum { SHOWN_MAX = 32 << 20 };

void known_slots_deinit(struct known_slots *slots)
{
	vec_deinit(&slots->all);
	arena_deinit(&slots->memory);
	table_deinit(&slots->shown);
	arena_deinit(&slots->shown_memory);
	shown_names_destroy(slots->names);
}

static const struct frame *outermost(const struct location *location)
{
	return &location->frames[location->n_frames - 1];
}

static bool is_named(const struct location *location)
{
	return outermost(location)->function != NULL;
}

static bool has_line(const struct location *location)
{
	return outermost(location)->file && outermost(location)->line;
}

static bool is_in_file(const struct location *location)
{
	return location->object && location->object->build_id.len && location->has_file_offset;
}

/* Returns true if FRAME comes from output with whole names, which has no short ones. */
static bool lacks_short(const struct frame *frame)
{
	const char *name = frame->function;

	return name && !frame->shown &&
	       ((frame->linkage && strcmp(frame->linkage, name) != 0) || strpbrk(name, "</"));
}

static bool needs_short(const struct location *location, enum name_style style)
{
	bool needs = false;

	array_each(frame, location->frames, location->n_frames)
		needs |= lacks_short(frame);
	return needs && (style == NAMES_SHORT || style == NAMES_PLAIN);
}

/* A known name may still get a line or a short form if its file is known by build ID. */
const struct location *known_final(struct known_slots *slots, const struct stack *stack, size_t i,
	size_t index, enum name_style style)
{
	const struct location *known = stack->known ? stack->known[i] : NULL;

	if (!known || (!known->has_address && !is_in_file(known)))
		return known;
	bool complete = known->kind != LOCATION_USER || !is_in_file(known) ||
			(has_line(known) && !needs_short(known, style));
	if (is_named(known) && complete)
		return known;
	if (slots)
		vec_push(&slots->all, (struct known_slot){index, known});
	return NULL;
}

/* Returns true if STATUS means that a process or kernel was missing or hidden. */
static bool could_not_look(enum frame_status status)
{
	switch (status) {
	case FRAME_NO_PID:
	case FRAME_PROCESS_GONE:
	case FRAME_PROCESS_CHANGED:
	case FRAME_PROCESS_DENIED:
	case FRAME_PROCESS_NO_MAPPINGS:
	case FRAME_NOT_RECORDED:
	case FRAME_ELSEWHERE:
	case FRAME_KALLSYMS_DENIED:
	case FRAME_KALLSYMS_ABSENT:
		return true;
	default:
		return false;
	}
}

/* Keeps the path that the process saw, wherever the file is now. */
static const struct frame_object *merge_objects(
	const struct frame_object *known, const struct frame_object *found, struct arena *arena)
{
	if (!known || !found || !known->path)
		return found ? found : known;
	struct frame_object *merged = arena_clone(arena, found, sizeof(*found));
	merged->path = known->path;
	merged->name = known->name;
	if (!merged->build_id.len)
		merged->build_id = known->build_id;
	return merged;
}

/* Returns KNOWN with FOUND's short names and qualifiers of the same functions. */
static const struct location *add_short(
	const struct location *known, const struct location *found, struct arena *arena)
{
	size_t n = known->n_frames;
	struct frame *frames = arena_clone(arena, known->frames, n * sizeof(*frames));
	struct location *copy = arena_clone(arena, known, sizeof(*copy));

	for (size_t i = 0; i < n * found->n_frames; i++) {
		const struct frame *other = &found->frames[i / n];
		struct frame *frame = &frames[i % n];

		if (!lacks_short(frame) || !other->function ||
			strcmp(frame->function, other->function) != 0)
			continue;
		frame->shown = other->shown ? other->shown : other->function;
		frame->qualifier = frame->qualifier ? frame->qualifier : other->qualifier;
	}
	copy->frames = frames;
	return copy;
}

static const struct location *best_of(
	const struct location *known, const struct location *found, struct arena *arena)
{
	bool named = is_named(found);

	if (is_named(known) && (!named || found->doubtful || !has_line(found)))
		return add_short(known, found, arena);
	struct location *merged = arena_clone(arena, named ? found : known, sizeof(*merged));
	merged->serial = 0;
	if (named) {
		merged->object = merge_objects(known->object, found->object, arena);
		merged->address = known->address;
		merged->has_address = known->has_address;
		return merged;
	}
	/* both are unnamed: use FOUND's reason, unless that is a missing process or kernel */
	if (could_not_look(found->status) && !could_not_look(known->status))
		return merged;
	if (!known->object && found->object) {
		*merged = *found;
		return merged;
	}
	merged->object = merge_objects(known->object, found->object, arena);
	merged->status = found->status;
	merged->detail = found->detail;
	merged->gap = found->gap;
	if (!known->has_start && found->has_start && is_in_file(merged)) {
		merged->start = found->start;
		merged->has_start = true;
	}
	return merged;
}

/*
 * Shortens names from tools, which are whole, and from output that is read back, whose files may be
 * gone.
 */
static const struct location *show(
	struct shown_names *names, const struct location *location, struct arena *arena)
{
	const struct frame *frames = location->frames;
	struct frame *shown = NULL;

	for (size_t i = 0; i < location->n_frames; i++) {
		const char *function = frames[i].function, *linkage = frames[i].linkage;
		const char *name = NULL;

		if (!function || frames[i].shown)
			continue;
		if (linkage && strcmp(function, linkage) != 0)
			name = shown_name(names, linkage, function);
		else
			name = shown_bare_name(names, function);
		if (name && !shown)
			shown = arena_clone(arena, frames, location->n_frames * sizeof(*frames));
		if (name)
			shown[i].shown = name;
	}
	if (!shown)
		return location;
	struct location *copy = arena_clone(arena, location, sizeof(*location));
	copy->frames = shown;
	return copy;
}

void known_settle(struct known_slots *slots, const struct location **locations, size_t n,
	enum name_style style)
{
	if (!slots->given)
		return;
	slots->given = false;
	arena_clear(&slots->memory);
	/* forget shown names if they take much memory, or if they are in another style */
	if (!slots->names || slots->style != style ||
		slots->shown_memory.bytes + shown_names_bytes(slots->names) >= SHOWN_MAX) {
		table_clear(&slots->shown);
		arena_deinit(&slots->shown_memory);
		shown_names_destroy(slots->names);
		slots->names = shown_names_create(NULL, NULL, style);
		slots->style = style;
	}
	vec_each(slot, &slots->all)
		locations[slot->index] =
			best_of(slot->known, locations[slot->index], &slots->memory);
	slots->all.len = 0;
	array_each(location, locations, n) {
		uint64_t serial = (*location)->serial;
		bool added;

		if ((*location)->source < SOURCE_TEXT && (serial || !needs_short(*location, style)))
			continue;
		if (!serial) {
			*location = show(slots->names, *location, &slots->memory);
			continue;
		}
		/* once for all locations with the same number */
		uint64_t *shown = table_at(&slots->shown, &serial, sizeof(serial), &added);
		if (added)
			*shown = (uintptr_t)show(slots->names, *location, &slots->shown_memory);
		*location = (const struct location *)(uintptr_t)*shown;
	}
}
