// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON output: one object per line and sample, which input/lists/samples.h reads back. Unknown
 * members are left out, never null. Addresses and file offsets are strings ("0x1a2b"), since most
 * JSON readers lose digits of numbers over 2^53. Bytes that are not UTF-8 become U+FFFD. Members
 * may be added without notice; a changed meaning raises "schema". stack2line-formats(5) describes
 * them (JSON SCHEMA), and tests/lint/options.test checks that it agrees with json_lines.c.
 */
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "model/build_id.h"
#include "model/stack.h"
#include "output/label.h"
#include "util/json_text.h"
#include "util/xalloc.h"

enum { SCHEMA = 1 };
/* cached locations, by serial; maximum size of their text, in bytes */
enum { WRITTEN = 8192, WRITTEN_BYTES_MAX = 32 << 20 };

/* Cache entry: the text of the location with this serial; 0: unused. */
struct written {
	uint64_t serial;
	struct text text;
};

struct json_lines {
	struct output_options options;
	struct text raw; /* scratch */
	struct written written[WRITTEN];
	size_t written_bytes;
};

static void *json_lines_create(const struct output_options *options)
{
	struct json_lines *json = xnew(json);

	json->options = *options;
	return json;
}

static void forget_written(struct json_lines *json)
{
	for (size_t i = 0; i < WRITTEN; i++) {
		text_deinit(&json->written[i].text);
		json->written[i].serial = 0;
	}
	json->written_bytes = 0;
}

static void json_lines_destroy(void *state)
{
	struct json_lines *json = state;

	forget_written(json);
	text_deinit(&json->raw);
	free(json);
}

static void add_position(struct text *text, const struct location *location)
{
	const struct frame_object *object = location->object;

	if (location->has_address)
		json_add_hex(text, "address", location->address);
	json_add_known(text, "kind", location_kind_words[location->kind].key);
	if (object) {
		json_add_known(text, "object", object->path);
		json_add_known(text, "build_id", build_id_hex(&object->build_id).digits);
		json_add_known(text, "found_by", object->found_by);
		json_add_known(text, "debug_file", object->debug_path);
	}
	if (location->has_file_offset)
		json_add_hex(text, "file_offset", location->file_offset);
	if (location->has_elf_address)
		json_add_hex(text, "elf_address", location->elf_address);
	if (location->has_start)
		json_add_hex(text, "function_start", location->start);
}

static void add_name(struct json_lines *json, struct text *text, const struct location *location,
	const struct frame *frame)
{
	json_add_known(text, "function", frame->function);
	if (!json->options.whole_names)
		json_add_known(text, "short_name", frame->shown);
	json_add_known(text, "linkage", frame->linkage);
	json_add_known(text, "qualifier", frame->qualifier);
	if (frame->has_offset)
		json_add_unsigned(text, "offset", frame->offset);
	if (frame->prototype_sure)
		json_add_known(text, "prototype", frame->prototypes[0]);
	else if (frame->n_prototypes)
		json_add_strings(
			text, "prototype_candidates", frame->prototypes, frame->n_prototypes);
	if (frame->file)
		json_add_known(text, "file", label_file(frame->file, &json->options));
	if (frame->line)
		json_add_unsigned(text, "line", frame->line);
	if (frame->column)
		json_add_unsigned(text, "column", frame->column);
	json_add_bool(text, "inlined", frame->inlined);
	if (location->source != SOURCE_NONE)
		json_add_known(text, "source", frame_source_words[location->source].key);
}

static void add_status(struct json_lines *json, struct text *text, const struct location *location)
{
	json_add_known(text, "status", frame_status_words[location->status].key);
	if (location->doubtful)
		json_add_bool(text, "doubtful", true);
	if (location->guessed)
		json_add_bool(text, "guessed", true);
	text_clear(&json->raw);
	label_add_reason(&json->raw, location->status, location->lost, location->lost_error);
	json_add_known(text, "reason", json->raw.data);
	json_add_known(text, "detail", location->detail);
	json_add_known(text, "lost_caller", lost_caller_words[location->lost_caller].key);
	json_add_known(text, "fix", location_fix(location));
}

/* UNWOUND: NULL unless the stack was unwound from a snapshot. */
static void add_location(struct json_lines *json, struct text *text,
	const struct location *location, const struct unwound_frame *unwound)
{
	for (size_t i = 0; i < location->n_frames; i++) {
		text_add_string(text, i ? ",{" : "{");
		add_position(text, location);
		add_name(json, text, location, &location->frames[i]);
		add_status(json, text, location);
		if (unwound && i + 1 == location->n_frames)
			json_add_known(text, "caller_by", unwound_by_words[unwound->by].key);
		text_add_char(text, '}');
	}
}

/* Adds the damage that frames reveal. `state` and `truncated` have the rest. */
static void add_health(struct text *text, const struct stack_health *health)
{
	if (health->cut)
		json_add_unsigned(text, "cut", health->cut);
	if (!(health->kinds & ((1U << HEALTH_TRUNCATED) - 1)))
		return;
	json_open(text, "health", '[');
	for (unsigned int kind = 0; kind < HEALTH_TRUNCATED; kind++)
		if (health->kinds & 1U << kind) {
			json_add_comma(text);
			text_printf(text, "\"%s\"", health_kind_words[kind].key);
		}
	text_add_char(text, ']');
}

/* Adds LOCATION from the cache if it is there: names are escaped once, and most locations recur. */
static void add_known_location(
	struct json_lines *json, struct text *text, const struct location *location)
{
	struct written *written = &json->written[location->serial % WRITTEN];
	size_t start = text->len;

	if (location->serial && written->serial == location->serial) {
		text_add(text, written->text.data, written->text.len);
		return;
	}
	add_location(json, text, location, NULL);
	if (!location->serial)
		return;
	if (json->written_bytes > WRITTEN_BYTES_MAX)
		forget_written(json);
	json->written_bytes -= written->text.len;
	text_clear(&written->text);
	text_add(&written->text, text->data + start, text->len - start);
	json->written_bytes += written->text.len;
	written->serial = location->serial;
}

/* Adds the members and the end of the object of one side. */
static void add_stack(
	struct json_lines *json, struct text *text, const struct trace *trace, bool kernel)
{
	const struct stack *stack = kernel ? &trace->sample->kernel : &trace->sample->user;
	const struct location *const *locations = kernel ? trace->kernel : trace->user;
	const size_t n = kernel ? trace->n_kernel : trace->n_user;
	const struct unwound *unwound = stack->unwound;

	json_add_known(text, "state", stack_state_words[stack->state].key);
	if (stack->state != STACK_ABSENT && stack->id >= 0)
		json_add_signed(text, "id", stack->id);
	if (stack->error)
		json_add_signed(text, "error", stack->error);
	if (stack->state == STACK_PRESENT)
		json_add_bool(text, "truncated", stack->truncated);
	if (stack->exact)
		json_add_bool(text, "exact", true);
	if (unwound) {
		json_add_known(text, "unwound", unwound_end_words[unwound->end].key);
		json_add_known(text, "unwound_detail", unwound->detail);
		json_add_unsigned(text, "copied", unwound->copied);
	}
	add_health(text, kernel ? &trace->kernel_health : &trace->user_health);
	json_open(text, "frames", '[');
	for (size_t i = 0; i < n; i++) {
		json_add_comma(text);
		if (unwound)
			add_location(json, text, locations[i], &unwound->frames[i]);
		else
			add_known_location(json, text, locations[i]);
	}
	text_add_string(text, "]}");
}

static void json_lines_trace(void *state, const struct trace *trace, struct text *text)
{
	struct json_lines *json = state;
	const struct sample *sample = trace->sample;
	const char *boot_id = sample->boot_id ?: json->options.boot_id;

	text_add_char(text, '{');
	json_add_unsigned(text, "schema", SCHEMA);
	json_add_known(text, "comm", sample->comm);
	if (sample->pid >= 0)
		json_add_signed(text, "pid", sample->pid);
	if (sample->tid >= 0)
		json_add_signed(text, "tid", sample->tid);
	json_add_unsigned(text, "weight", sample->weight);
	if (sample->time)
		json_add_unsigned(text, "time", sample->time);
	json_add_known(text, "place", sample->position);
	/* addresses are valid only in this boot, and in the process that started then */
	if (boot_id && strcmp(boot_id, "-") != 0)
		json_add_known(text, "boot_id", boot_id);
	if (sample->process_start)
		json_add_unsigned(text, "process_start", sample->process_start);
	json_open(text, "user", '{');
	add_stack(json, text, trace, false);
	json_open(text, "kernel", '{');
	add_stack(json, text, trace, true);
	text_add_string(text, "}\n");
}

const struct format json_format = {
	json_lines_create, json_lines_destroy, json_lines_trace, NULL, NULL};
