// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff/traces.h"

#include <stdlib.h>
#include <string.h>

#include "model/stack.h"
#include "util/number.h"
#include "util/xalloc.h"

/* entries of the cache of locations, by serial */
enum { RECENT = 1 << 17 };

struct diff_traces *diff_traces_create(void)
{
	struct diff_traces *traces = xnew(traces);

	traces->recent = xcalloc(RECENT, sizeof(*traces->recent));
	return traces;
}

void diff_traces_destroy(struct diff_traces *traces)
{
	if (!traces)
		return;
	for (int side = 0; side < DIFF_SIDES; side++) {
		table_deinit(&traces->sides[side].numbers);
		vec_deinit(&traces->sides[side].traces);
	}
	table_deinit(&traces->strings);
	table_deinit(&traces->head_numbers);
	table_deinit(&traces->location_numbers);
	arena_deinit(&traces->memory);
	vec_deinit(&traces->heads);
	vec_deinit(&traces->locations);
	vec_deinit(&traces->line);
	text_deinit(&traces->key);
	free(traces->recent);
	free(traces);
}

const char *diff_traces_string(struct diff_traces *traces, const char *s)
{
	return s ? table_string(&traces->strings, s, strlen(s)) : NULL;
}

/* ---- copies ---- */

/*
 * Copies what is compared. Padding in RET, which is zero-filled, stays zero: keys are the bytes of
 * these structs.
 */
static void copy_location(
	struct diff_traces *traces, const struct location *location, struct location *ret)
{
	ret->kind = location->kind;
	ret->status = location->status;
	ret->source = location->source;
	ret->lost_caller = location->lost_caller;
	ret->doubtful = location->doubtful;
	ret->caller_guessed = location->caller_guessed;
	ret->lost = location->lost;
	ret->lost_error = location->lost_error;
	ret->detail = diff_traces_string(traces, location->detail);
	ret->fix = location->fix;
	ret->n_frames = location->n_frames;
	if (location->status == FRAME_NAMED)
		return; /* addresses of named locations are not compared */
	ret->has_file_offset = location->has_file_offset;
	ret->has_elf_address = location->has_elf_address;
	ret->has_start = location->has_start;
	ret->file_offset = location->has_file_offset ? location->file_offset : 0;
	ret->elf_address = location->has_elf_address ? location->elf_address : 0;
	ret->start = location->has_start ? location->start : 0;
}

static uint32_t find_location(
	struct diff_traces *traces, enum diff_side side, const struct location *location)
{
	const struct frame_object *object = location->object;
	size_t size = sizeof(struct diff_location) + location->n_frames * sizeof(struct frame);

	text_clear(&traces->key);
	text_reserve(&traces->key, size);
	struct diff_location *copy = (struct diff_location *)traces->key.data;
	memset(copy, 0, size);
	copy_location(traces, location, &copy->location);
	if (object) {
		copy->object.path = diff_traces_string(traces, object->path);
		copy->object.name = diff_traces_string(traces, object->name);
		copy->object.module = diff_traces_string(traces, object->module);
		copy->object.not_fetched = diff_traces_string(traces, object->not_fetched);
		copy->object.fetch_fix = object->fetch_fix;
		copy->object.build_id.len = object->build_id.len;
		memcpy(copy->object.build_id.bytes, object->build_id.bytes, object->build_id.len);
	}
	for (size_t i = 0; i < location->n_frames; i++) {
		const struct frame *frame = &location->frames[i];
		struct frame *ret = &copy->frames[i];

		ret->function = diff_traces_string(traces, frame->function);
		ret->linkage = diff_traces_string(traces, frame->linkage);
		ret->qualifier = diff_traces_string(traces, frame->qualifier);
		ret->shown = diff_traces_string(traces, frame->shown);
		ret->file = diff_traces_string(traces, frame->file);
		ret->line = frame->line;
		ret->inlined = frame->inlined;
	}
	uint64_t number = table_number(&traces->location_numbers, copy, size);
	if (number > traces->locations.len) {
		struct diff_location *kept = arena_clone(&traces->memory, copy, size);

		kept->location.object = object ? &kept->object : NULL;
		kept->location.frames = kept->frames;
		kept->location.serial = number;
		vec_push(&traces->locations, kept);
	}
	traces->locations.data[number - 1]->sides |= 1U << side;
	return (uint32_t)(number - 1);
}

/*
 * Returns the number of LOCATION. Serials are looked up by side, since each side has its own
 * symbolizer.
 */
static uint32_t location_number(
	struct diff_traces *traces, enum diff_side side, const struct location *location)
{
	uint64_t key = location->serial * 2 + side;
	struct recent_location *recent = &traces->recent[location->serial % RECENT];

	if (!location->serial)
		return find_location(traces, side, location);
	if (recent->key != key)
		*recent = (struct recent_location){key, find_location(traces, side, location)};
	return recent->number;
}

void diff_traces_add(struct diff_traces *traces, enum diff_side side, const struct trace *trace)
{
	struct kept_side *kept = &traces->sides[side];
	struct diff_sum *sum = &kept->sum;
	const struct sample *sample = trace->sample;
	const char *weight_name = diff_traces_string(traces, sample->weight_name);
	struct trace_head head;

	memset(&head, 0, sizeof(head)); /* the key is its bytes, padding included */
	head.comm = diff_traces_string(traces, sample->comm);
	head.pid = sample->pid;
	head.tid = sample->tid;
	head.user_kinds = trace->user_health.kinds;
	head.kernel_kinds = trace->kernel_health.kinds;
	uint64_t head_number = table_number(&traces->head_numbers, &head, sizeof(head));
	if (head_number > traces->heads.len)
		vec_push(&traces->heads, head);
	traces->line.len = 0;
	vec_push(&traces->line, (uint32_t)(head_number - 1));
	vec_push(&traces->line, (uint32_t)trace->n_user);
	array_each(location, trace->user, trace->n_user)
		vec_push(&traces->line, location_number(traces, side, *location));
	array_each(location, trace->kernel, trace->n_kernel)
		vec_push(&traces->line, location_number(traces, side, *location));
	varint_write_all(&traces->key, traces->line.data, traces->line.len);
	uint64_t number = table_number(&kept->numbers, traces->key.data, traces->key.len);
	if (number > kept->traces.len)
		vec_push(&kept->traces,
			(struct kept_trace){.codes = arena_clone(&traces->memory, traces->key.data,
						    traces->key.len),
				.len = traces->key.len});
	weight_add(&kept->traces.data[number - 1].weight, sample->weight);
	sum->weight_name = !sum->samples || sum->weight_name == weight_name ? weight_name : NULL;
	sum->samples++;
	weight_add(&sum->weight, sample->weight);
}

void diff_traces_each(const struct diff_traces *traces, enum diff_side side,
	void (*each)(void *state, const struct trace *trace, struct text *text), void *state)
{
	const struct kept_side *kept = &traces->sides[side];
	struct VEC(const struct location *) locations = {};

	vec_each(one, &kept->traces) {
		const uint8_t *at = one->codes, *end = at + one->len;
		const struct trace_head *head = &traces->heads.data[varint_next(&at)];
		const struct sample sample = {.comm = head->comm,
			.pid = head->pid,
			.tid = head->tid,
			.weight = one->weight,
			.weight_name = kept->sum.weight_name};
		struct trace trace = {.sample = &sample, .n_user = varint_next(&at)};

		locations.len = 0;
		while (at < end)
			vec_push(&locations, &traces->locations.data[varint_next(&at)]->location);
		trace.n_kernel = locations.len - trace.n_user;
		trace.user = locations.data;
		trace.kernel = locations.len ? locations.data + trace.n_user : NULL;
		trace.user_health.kinds = head->user_kinds;
		trace.kernel_health.kinds = head->kernel_kinds;
		each(state, &trace, NULL);
	}
	vec_deinit(&locations);
}
