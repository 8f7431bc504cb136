// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/samples.h"

#include "input/bpftool/json.h"
#include "input/lists/addresses.h"
#include "model/frame.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/vec.h"

enum { SCHEMA = 1, CANDIDATES_MAX = 64, SAMPLE_MAX = 16 << 20 /* memory for one, in bytes */ };

/* ---- frames ---------------------------------------------------------------------------------- */

/* The frames of a stack as slots, with the locations that were resolved. */
struct json_frames {
	struct slots slots;
	struct VEC(struct frame) open; /* inlined frames of the current location */
};

static void frames_deinit(struct json_frames *frames)
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

#define MEMBER(kind, type, name)                                                                   \
	{                                                                                          \
#name, JSON_MEMBER_##kind, offsetof(struct type, name), NULL                       \
	}

static const struct json_member frame_members[] = {
	MEMBER(TEXT, raw_frame, kind),
	MEMBER(TEXT, raw_frame, object),
	MEMBER(TEXT, raw_frame, build_id),
	MEMBER(TEXT, raw_frame, found_by),
	MEMBER(TEXT, raw_frame, debug_file),
	MEMBER(TEXT, raw_frame, function),
	MEMBER(TEXT, raw_frame, short_name),
	MEMBER(TEXT, raw_frame, linkage),
	MEMBER(TEXT, raw_frame, qualifier),
	MEMBER(TEXT, raw_frame, prototype),
	MEMBER(TEXT, raw_frame, file),
	MEMBER(TEXT, raw_frame, source),
	MEMBER(TEXT, raw_frame, status),
	MEMBER(TEXT, raw_frame, detail),
	MEMBER(TEXT, raw_frame, lost_caller),
	MEMBER(NUMBER, raw_frame, address),
	MEMBER(NUMBER, raw_frame, file_offset),
	MEMBER(NUMBER, raw_frame, elf_address),
	MEMBER(NUMBER, raw_frame, function_start),
	MEMBER(NUMBER, raw_frame, offset),
	MEMBER(NUMBER, raw_frame, line),
	MEMBER(NUMBER, raw_frame, column),
	MEMBER(FLAG, raw_frame, inlined),
	MEMBER(FLAG, raw_frame, doubtful),
	{"prototype_candidates", JSON_MEMBER_OTHER, offsetof(struct raw_frame, candidates),
		read_candidates},
};

/* Returns the index of KEY in N WORDS. 0 if it is not there, or NULL. */
static unsigned int find_key(const struct words *words, unsigned int n, const char *key)
{
	for (unsigned int i = 0; key && i < n; i++)
		if (!strcmp(words[i].key, key))
			return i;
	return 0;
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
	enum frame_status status = find_key(frame_status_words, FRAME_STATUS_COUNT, raw->status);

	if (raw->function)
		return FRAME_NAMED;
	return status == FRAME_NAMED || status == FRAME_LOST ? FRAME_OUTSIDE_SYMBOLS : status;
}

static struct location *make_location(struct arena *arena, const struct raw_frame *raw)
{
	struct location *location = arena_alloc(arena, sizeof(*location));
	struct frame_object *object = NULL;

	if (raw->object || raw->build_id) {
		object = arena_alloc(arena, sizeof(*object));
		*object = (struct frame_object){.path = raw->object,
			.name = raw->object ? file_base_name(raw->object) : NULL,
			.found_by = raw->found_by,
			.debug_path = raw->debug_file};
		if (raw->build_id)
			(void)build_id_parse(
				raw->build_id, strlen(raw->build_id), &object->build_id);
	}
	*location = (struct location){
		.kind = find_key(location_kind_words, LOCATION_LOST, raw->kind),
		.status = status_of(raw),
		.address = raw->address.value,
		.has_address = raw->address.given,
		.object = object,
		.file_offset = raw->file_offset.value,
		.elf_address = raw->elf_address.value,
		.start = raw->function_start.value,
		.has_file_offset = raw->file_offset.given,
		.has_elf_address = raw->elf_address.given,
		.has_start = raw->function_start.given,
		.doubtful = raw->doubtful,
		.lost_caller = find_key(lost_caller_words, CALLER_COUNT, raw->lost_caller),
		.source = raw->function ? find_key(frame_source_words, SOURCE_COUNT, raw->source)
					: SOURCE_NONE,
		.detail = raw->detail};
	return location;
}

/*
 * Adds a slot for LOCATION, with build ID and file offset if possible, because these identify the
 * code better than an address.
 */
static void add_slot(
	struct json_frames *frames, const struct location *location, struct arena *arena)
{
	const struct frame_object *object = location->object;
	struct stack_origin origin = {};
	uint64_t value = location->has_address ? location->address : 0;

	if (location->kind == LOCATION_USER && object && object->build_id.len &&
		location->has_file_offset) {
		value = location->file_offset;
		if (object->path && *object->path == '/') {
			struct stack_file *file = arena_alloc(arena, sizeof(*file));

			*file = (struct stack_file){.path = object->path,
				.searched = true,
				.base = STACK_FILE_START,
				.build_id = object->build_id};
			origin.file = file;
		} else {
			origin.build_id = object->build_id;
		}
	}
	slots_add_known(&frames->slots, value, origin, location);
}

static bool read_frames(struct json_members *members, enum json_token token, void *to)
{
	struct json_frames *frames = to;
	struct arena *arena = members->arena;
	bool array = token == JSON_ARRAY;

	while (array && (token = json_next(members->json)) == JSON_OBJECT) {
		struct raw_frame raw = {};

		if (!json_members_read(members, frame_members, array_len(frame_members), &raw))
			return false;
		if (raw.kind && !strcmp(raw.kind, location_kind_words[LOCATION_LOST].key))
			/* the state of the stack already says so */
			continue;
		vec_push(&frames->open, make_frame(arena, &raw));
		if (raw.inlined)
			continue;
		/* a frame that is not inlined completes the location that those began */
		struct location *location = make_location(arena, &raw);
		size_t n = frames->open.len;
		location->frames = arena_clone(arena, frames->open.data, n * sizeof(struct frame));
		location->n_frames = n;
		frames->open.len = 0;
		add_slot(frames, location, arena);
	}
	if (array && token == JSON_ARRAY_END && !frames->open.len)
		return true;
	if (token != JSON_ERROR && !members->problem)
		members->problem = "its frames are malformed";
	return false;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct raw_stack {
	const char *state;
	struct json_number id, error;
	bool truncated, exact;
	struct json_frames frames;
};

struct raw_sample {
	struct json_number schema, pid, tid, weight, time, process_start;
	const char *comm, *boot_id;
	struct raw_stack user, kernel;
};

struct samples_reading {
	struct json json;
	struct arena arena;
	struct raw_sample raw;
};

static void reading_deinit(struct samples_reading *reading)
{
	frames_deinit(&reading->raw.user.frames);
	frames_deinit(&reading->raw.kernel.frames);
	arena_deinit(&reading->arena);
	json_deinit(&reading->json);
}

static bool read_schema(struct json_members *members, enum json_token token, void *to)
{
	struct json_number *schema = to;

	if (token != JSON_NUMBER || !json_integer(members->json, &schema->value) ||
		schema->value != SCHEMA)
		members->problem = "its schema is not supported";
	schema->given = true;
	return !members->problem;
}

static const struct json_member stack_members[] = {
	MEMBER(TEXT, raw_stack, state),
	MEMBER(NUMBER, raw_stack, id),
	MEMBER(NUMBER, raw_stack, error),
	MEMBER(FLAG, raw_stack, truncated),
	MEMBER(FLAG, raw_stack, exact),
	{"frames", JSON_MEMBER_OTHER, offsetof(struct raw_stack, frames), read_frames},
};

static bool read_stack(struct json_members *members, enum json_token token, void *to)
{
	struct raw_stack *stack = to;

	if (token != JSON_OBJECT || stack->state)
		members->problem = "its stacks are malformed";
	return !members->problem &&
	       json_members_read(members, stack_members, array_len(stack_members), stack);
}

static const struct json_member sample_members[] = {
	{"schema", JSON_MEMBER_OTHER, offsetof(struct raw_sample, schema), read_schema},
	MEMBER(TEXT, raw_sample, comm),
	MEMBER(NUMBER, raw_sample, pid),
	MEMBER(NUMBER, raw_sample, tid),
	MEMBER(NUMBER, raw_sample, weight),
	MEMBER(NUMBER, raw_sample, time),
	MEMBER(NUMBER, raw_sample, process_start),
	MEMBER(TEXT, raw_sample, boot_id),
	{"user", JSON_MEMBER_OTHER, offsetof(struct raw_sample, user), read_stack},
	{"kernel", JSON_MEMBER_OTHER, offsetof(struct raw_sample, kernel), read_stack},
};

static bool is_small(struct json_number number, int64_t min)
{
	return (int64_t)number.value >= min && (int64_t)number.value <= INT32_MAX;
}

/* Makes a stack. Without a state in the input it is absent. Returns false if it is malformed. */
static bool make_stack(const struct raw_stack *raw, struct stack *ret)
{
	const struct slots *slots = &raw->frames.slots;
	enum stack_state state = STACK_ABSENT;

	*ret = slots_stack(slots, slots->values.len);
	if (raw->id.given)
		ret->id = (int64_t)raw->id.value;
	ret->error = (int32_t)(int64_t)raw->error.value;
	ret->truncated = raw->truncated;
	ret->exact = raw->exact;
	while (raw->state && strcmp(raw->state, stack_state_words[state].key) != 0)
		if (++state == STACK_STATE_COUNT)
			return false;
	ret->state = state;
	return is_small(raw->error, INT32_MIN) && (state == STACK_PRESENT) == (ret->depth > 0);
}

/* Returns NULL, or what is wrong with the sample (a constant). */
static const char *make_sample(
	const struct raw_sample *raw, const struct boot *boot, struct sample *ret)
{
	if (!raw->schema.given)
		return "it has no schema";
	if (!is_small(raw->pid, 0) || !is_small(raw->tid, 0))
		return "its pid or tid is not a possible ID";
	ret->pid = raw->pid.given ? (int64_t)raw->pid.value : -1;
	ret->tid = raw->tid.given ? (int64_t)raw->tid.value : -1;
	ret->comm = raw->comm;
	ret->weight = raw->weight.given ? raw->weight.value : 1;
	ret->time = raw->time.value;
	ret->boot_id = boot_of_sample(boot, raw->boot_id);
	ret->read_back = true;
	ret->process_start = raw->process_start.value;
	if (!make_stack(&raw->user, &ret->user) || !make_stack(&raw->kernel, &ret->kernel))
		return "its stacks are malformed";
	return NULL;
}

struct error *json_samples_read(struct dump *dump)
{
	scope_guard(reading_deinit) struct samples_reading reading = {};
	struct json_members members = {
		.json = &reading.json, .arena = &reading.arena, .memory_max = SAMPLE_MAX};
	struct sample sample = {};

	try(dump_goes_live(dump));
	json_init(&reading.json, dump->source, true);
	bool whole = json_next(&reading.json) == JSON_OBJECT;
	auto_free char *position = json_position(&reading.json, reading.json.start);
	reading.json.item = reading.json.start;
	whole = whole && json_members_read(
				 &members, sample_members, array_len(sample_members), &reading.raw);
	if (whole && !members.problem)
		members.problem = make_sample(&reading.raw, &dump->options->boot, &sample);
	while (!whole && !reading.json.problem && reading.json.depth)
		(void)json_skip_rest(&reading.json);
	if (members.problem)
		dump_warn(dump, "%s: a sample is skipped: %s", position, members.problem);
	dump_json_problem(dump, &reading.json, "sample", "the sample is skipped");
	if (!whole || members.problem)
		return NULL;
	dump->used++;
	sample.position = position;
	return collector_sample(dump->collector, &sample);
}
