// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints stacks as build IDs and file offsets, to be named on another machine.
 * input/lists/samples.h describes the format.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "output/format.h"
#include "util/xalloc.h"

/* The state is the boot ID of this system, "" if unknown. */
static void *portable_create(const struct output_options *options)
{
	return xstrdup(options->boot_id ?: "");
}

static void add_string(struct text *text, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	text_printf(text, " %s=", key);
	for (const unsigned char *s = (const unsigned char *)value; *s; s++)
		if (*s <= 0x20 || *s >= 0x7f || *s == '%' || *s == ';')
			text_printf(text, "%%%02x", *s);
		else
			text_add_char(text, (char)*s);
}

static void add_stack(struct text *text, const char *key, const struct stack *stack,
	const struct location *const *locations, size_t n)
{
	if (stack->state == STACK_ABSENT)
		return;
	text_printf(text, " %s=", key);
	if (stack->state != STACK_PRESENT) {
		text_printf(text, "!%s", stack_state_words[stack->state].key);
		if (stack->error)
			text_printf(text, ":%d", stack->error);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct location *location = locations[i];
		const struct frame_object *object = location->object;

		if (i)
			text_add_char(text, ';');
		if (object && object->build_id.len && location->has_file_offset) {
			text_add_string(text, build_id_hex(&object->build_id).digits);
			text_add_char(text, '+');
			text_add_hex(text, location->file_offset);
		} else {
			text_add_hex(text, location->address);
		}
	}
	if (stack->truncated)
		text_add_string(text, ";~");
}

static void portable_trace(void *state, const struct trace *trace, struct text *text)
{
	const struct sample *sample = trace->sample;

	text_add_string(text, "stack2line-portable 1");
	add_string(text, "boot", sample->boot_id ?: state);
	if (sample->pid >= 0)
		text_printf(text, " pid=%" PRId64, sample->pid);
	if (sample->tid >= 0)
		text_printf(text, " tid=%" PRId64, sample->tid);
	text_printf(text, " weight=%" PRIu64, sample->weight);
	if (sample->time)
		text_printf(text, " time=%" PRIu64, sample->time);
	add_string(text, "comm", sample->comm);
	if (sample->user.exact || sample->kernel.exact)
		text_add_string(text, " exact=1");
	add_stack(text, "user", &sample->user, trace->user, trace->n_user);
	add_stack(text, "kernel", &sample->kernel, trace->kernel, trace->n_kernel);
	text_add_char(text, '\n');
}

const struct format portable_format = {portable_create, free, portable_trace, NULL, NULL};
