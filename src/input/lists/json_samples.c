// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/json_samples.h"

#include <string.h>

#include "input/lists/json_frames.h"
#include "util/cleanup.h"
#include "util/vec.h"

enum { SAMPLE_MAX = 16 << 20 /* memory for one sample, in bytes */ };

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
	json_frames_deinit(&reading->raw.user.frames);
	json_frames_deinit(&reading->raw.kernel.frames);
	arena_deinit(&reading->arena);
	json_deinit(&reading->json);
}

static bool wrong(struct json_members *members, const char *problem)
{
	members->problem = problem;
	return false;
}

static bool read_schema(struct json_members *members, enum json_token token, void *to)
{
	struct json_number *schema = to;

	if (token != JSON_NUMBER || !json_integer(members->json, &schema->value) ||
		schema->value != JSON_SAMPLES_SCHEMA)
		return wrong(members, "its schema is not supported");
	schema->given = true;
	return true;
}

static bool read_frames(struct json_members *members, enum json_token token, void *to)
{
	return json_frames_read(members, token, to);
}

#define AT(member) offsetof(struct raw_stack, member)
static const struct json_member stack_members[] = {
	{"state", JSON_MEMBER_TEXT, AT(state), NULL},
	{"id", JSON_MEMBER_NUMBER, AT(id), NULL},
	{"error", JSON_MEMBER_NUMBER, AT(error), NULL},
	{"truncated", JSON_MEMBER_FLAG, AT(truncated), NULL},
	{"exact", JSON_MEMBER_FLAG, AT(exact), NULL},
	{"frames", JSON_MEMBER_OTHER, AT(frames), read_frames},
};
#undef AT

static bool read_stack(struct json_members *members, enum json_token token, void *to)
{
	struct raw_stack *stack = to;

	if (token != JSON_OBJECT || stack->state)
		return wrong(members, "its stacks are malformed");
	return json_members_read(members, stack_members, array_len(stack_members), stack);
}

#define AT(member) offsetof(struct raw_sample, member)
static const struct json_member sample_members[] = {
	{"schema", JSON_MEMBER_OTHER, AT(schema), read_schema},
	{"comm", JSON_MEMBER_TEXT, AT(comm), NULL},
	{"pid", JSON_MEMBER_NUMBER, AT(pid), NULL},
	{"tid", JSON_MEMBER_NUMBER, AT(tid), NULL},
	{"weight", JSON_MEMBER_NUMBER, AT(weight), NULL},
	{"time", JSON_MEMBER_NUMBER, AT(time), NULL},
	{"process_start", JSON_MEMBER_NUMBER, AT(process_start), NULL},
	{"boot_id", JSON_MEMBER_TEXT, AT(boot_id), NULL},
	{"user", JSON_MEMBER_OTHER, AT(user), read_stack},
	{"kernel", JSON_MEMBER_OTHER, AT(kernel), read_stack},
};
#undef AT

static bool state_of(const char *key, enum stack_state *ret)
{
	for (int i = STACK_ABSENT; key && i < STACK_STATE_COUNT; i++) {
		if (strcmp(key, stack_state_key((enum stack_state)i)) != 0)
			continue;
		*ret = (enum stack_state)i;
		return true;
	}
	return false;
}

static bool is_small(struct json_number number, int64_t min)
{
	return (int64_t)number.value >= min && (int64_t)number.value <= INT32_MAX;
}

/* Makes a stack. Without a state in the input it is absent. Returns false if it is malformed. */
static bool make_stack(const struct raw_stack *raw, struct stack *ret)
{
	const struct slots *slots = &raw->frames.slots;

	*ret = slots_stack(slots, slots->values.len);
	if (raw->id.given)
		ret->id = (int64_t)raw->id.value;
	ret->error = (int32_t)(int64_t)raw->error.value;
	ret->truncated = raw->truncated;
	ret->exact = raw->exact;
	if ((raw->state && !state_of(raw->state, &ret->state)) || !is_small(raw->error, INT32_MIN))
		return false;
	if (!raw->state)
		return !ret->depth;
	return (ret->state == STACK_PRESENT) == (ret->depth > 0);
}

/* Returns NULL, or what is wrong with the sample (a constant). */
static const char *make_sample(
	const struct raw_sample *raw, const struct boot *boot, struct sample *ret)
{
	if (!raw->schema.given)
		return "it has no schema";
	if (!is_small(raw->pid, 0) || !is_small(raw->tid, 0))
		return "its pid or tid cannot be one";
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

/* Skips the rest of a malformed document. Returns false if the end was not found. */
static bool skip_document(struct json *json)
{
	while (!json->problem && json->depth)
		if (!json_skip_rest(json))
			return false;
	return !json->problem;
}

struct error *json_samples_read(struct dump *dump, const struct boot *boot)
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
		members.problem = make_sample(&reading.raw, boot, &sample);
	if (!whole)
		(void)skip_document(&reading.json);
	if (members.problem)
		dump_warn(dump, "%s: a sample is skipped: %s", position, members.problem);
	dump_json_problem(dump, &reading.json, "sample", "the sample is skipped");
	if (!whole || members.problem)
		return NULL;
	dump->used++;
	sample.position = position;
	return collector_sample(dump->collector, &sample);
}
