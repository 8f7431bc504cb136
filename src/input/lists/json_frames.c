// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/json_frames.h"

#include <string.h>

#include "model/name_limit.h"
#include "util/file.h"
#include "util/vec.h"

void json_frames_deinit(struct json_frames *frames)
{
	slots_deinit(&frames->slots);
	vec_deinit(&frames->open);
}

struct json_prototypes {
	const char **all; /* allocated in the members' arena */
	uint32_t n;
};

/* The members of a frame as read. */
struct raw_frame {
	const char *kind, *object, *build_id, *found_by, *debug_file, *function, *short_name,
		*linkage, *qualifier, *prototype, *file, *source, *status, *detail, *lost_caller;
	struct json_number address, file_offset, elf_address, function_start, offset, line, column;
	struct json_prototypes candidates;
	bool inlined, doubtful;
};

enum { CANDIDATES_MAX = 64 };

static bool read_candidates(struct json_members *members, enum json_token token, void *to)
{
	struct json_prototypes *ret = to;

	if (token != JSON_ARRAY)
		return json_skip(members->json, token);
	ret->n = 0;
	ret->all = arena_alloc(members->arena, CANDIDATES_MAX * sizeof(*ret->all));
	while ((token = json_next(members->json)) == JSON_STRING && ret->n < CANDIDATES_MAX) {
		const struct text *text = &members->json->text;

		ret->all[ret->n++] =
			name_limit_copy(members->arena, text->len ? text->data : "", text->len);
	}
	if (token == JSON_ARRAY_END || token == JSON_ERROR)
		return token == JSON_ARRAY_END;
	return json_skip(members->json, token) && json_skip_rest(members->json);
}

#define TEXT(name)                                                                                 \
	{                                                                                          \
#name, JSON_MEMBER_TEXT, offsetof(struct raw_frame, name), NULL                    \
	}
#define NUMBER(name)                                                                               \
	{                                                                                          \
#name, JSON_MEMBER_NUMBER, offsetof(struct raw_frame, name), NULL                  \
	}
#define FLAG(name)                                                                                 \
	{                                                                                          \
#name, JSON_MEMBER_FLAG, offsetof(struct raw_frame, name), NULL                    \
	}

static const struct json_member frame_members[] = {
	TEXT(kind),
	TEXT(object),
	TEXT(build_id),
	TEXT(found_by),
	TEXT(debug_file),
	TEXT(function),
	TEXT(short_name),
	TEXT(linkage),
	TEXT(qualifier),
	TEXT(prototype),
	TEXT(file),
	TEXT(source),
	TEXT(status),
	TEXT(detail),
	TEXT(lost_caller),
	NUMBER(address),
	NUMBER(file_offset),
	NUMBER(elf_address),
	NUMBER(function_start),
	NUMBER(offset),
	NUMBER(line),
	NUMBER(column),
	FLAG(inlined),
	FLAG(doubtful),
	{"prototype_candidates", JSON_MEMBER_OTHER, offsetof(struct raw_frame, candidates),
		read_candidates},
};

static bool is_kind(const char *kind, enum location_kind wanted)
{
	return kind && !strcmp(kind, location_kind_key(wanted));
}

static enum location_kind kind_of(const char *kind)
{
	for (int i = LOCATION_USER; i < LOCATION_LOST; i++)
		if (is_kind(kind, (enum location_kind)i))
			return (enum location_kind)i;
	return LOCATION_USER;
}

static const struct frame_object *make_object(struct arena *arena, const struct raw_frame *raw)
{
	struct frame_object *object;

	if (!raw->object && !raw->build_id)
		return NULL;
	object = arena_alloc(arena, sizeof(*object));
	*object = (struct frame_object){.path = raw->object,
		.name = raw->object ? file_base_name(raw->object) : NULL,
		.found_by = raw->found_by,
		.debug_path = raw->debug_file};
	if (raw->build_id)
		(void)build_id_parse(raw->build_id, strlen(raw->build_id), &object->build_id);
	return object;
}

static uint32_t small(struct json_number number)
{
	return number.given && number.value <= UINT32_MAX ? (uint32_t)number.value : 0;
}

static struct frame make_frame(struct arena *arena, const struct raw_frame *raw)
{
	struct frame frame = {.function = raw->function,
		.shown = raw->short_name,
		.linkage = raw->linkage,
		.qualifier = raw->qualifier,
		.offset = raw->offset.value,
		.has_offset = raw->offset.given,
		.inlined = raw->inlined,
		.file = raw->file,
		.line = small(raw->line),
		.column = small(raw->column),
		.prototypes = raw->candidates.all,
		.n_prototypes = raw->candidates.n};

	if (!raw->prototype)
		return frame;
	const char **prototype = arena_alloc(arena, sizeof(*prototype));
	*prototype = raw->prototype;
	frame.prototypes = prototype;
	frame.n_prototypes = 1;
	frame.prototype_sure = true;
	return frame;
}

/*
 * Returns the status in the input, if it is known and consistent with the presence of a name.
 * Otherwise the name decides.
 */
static enum frame_status status_of(const struct raw_frame *raw)
{
	enum frame_status status = FRAME_OUTSIDE_SYMBOLS;

	if (raw->function)
		return FRAME_NAMED;
	if (raw->status && !frame_status_parse(raw->status, &status))
		return FRAME_OUTSIDE_SYMBOLS;
	return status == FRAME_NAMED || status == FRAME_LOST ? FRAME_OUTSIDE_SYMBOLS : status;
}

static struct location *make_location(struct arena *arena, const struct raw_frame *raw)
{
	struct location *location = arena_alloc(arena, sizeof(*location));

	*location = (struct location){.kind = kind_of(raw->kind),
		.status = status_of(raw),
		.address = raw->address.value,
		.has_address = raw->address.given,
		.object = make_object(arena, raw),
		.file_offset = raw->file_offset.value,
		.elf_address = raw->elf_address.value,
		.start = raw->function_start.value,
		.has_file_offset = raw->file_offset.given,
		.has_elf_address = raw->elf_address.given,
		.has_start = raw->function_start.given,
		.doubtful = raw->doubtful,
		.detail = raw->detail};
	if (raw->lost_caller)
		location->lost_caller = lost_caller_parse(raw->lost_caller);
	if (raw->source && raw->function)
		(void)frame_source_parse(raw->source, &location->source);
	return location;
}

/*
 * Adds a slot for LOCATION, with build ID and file offset if possible, because these identify the
 * code better than an address.
 */
static void add_slot(
	struct json_frames *frames, const struct location *location, struct arena *arena)
{
	struct stack_origin origin = {};
	uint64_t value = location->has_address ? location->address : 0;

	if (location->kind == LOCATION_USER && location->object && location->object->build_id.len &&
		location->has_file_offset) {
		origin.build_id = location->object->build_id;
		value = location->file_offset;
		if (location->object->path && *location->object->path == '/') {
			struct stack_file *file = arena_alloc(arena, sizeof(*file));

			*file = (struct stack_file){.path = location->object->path,
				.searched = true,
				.base = STACK_FILE_START,
				.build_id = origin.build_id};
			origin = (struct stack_origin){.file = file};
		}
	}
	slots_add_known(&frames->slots, value, origin, location);
}

/* Adds a frame. If it is not inlined, it completes the location that the inlined frames began. */
static void add_frame(
	struct json_members *members, struct json_frames *frames, const struct raw_frame *raw)
{
	vec_push(&frames->open, make_frame(members->arena, raw));
	if (raw->inlined)
		return;
	struct location *location = make_location(members->arena, raw);
	size_t size = frames->open.len * sizeof(struct frame);
	struct frame *all = arena_alloc(members->arena, size);
	memcpy(all, frames->open.data, size);
	location->frames = all;
	location->n_frames = frames->open.len;
	frames->open.len = 0;
	add_slot(frames, location, members->arena);
}

static bool read_frame(struct json_members *members, struct json_frames *frames)
{
	struct raw_frame raw = {};

	if (!json_members_read(members, frame_members, array_len(frame_members), &raw))
		return false;
	if (!is_kind(raw.kind, LOCATION_LOST)) /* the state of the stack already says so */
		add_frame(members, frames, &raw);
	return true;
}

bool json_frames_read(
	struct json_members *members, enum json_token token, struct json_frames *frames)
{
	bool array = token == JSON_ARRAY;

	while (array && (token = json_next(members->json)) == JSON_OBJECT)
		if (!read_frame(members, frames))
			return false;
	if (!array || token != JSON_ARRAY_END || frames->open.len) {
		if (token != JSON_ERROR && !members->problem)
			members->problem = "its frames are malformed";
		return false;
	}
	return true;
}
