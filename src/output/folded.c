// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded.h"

#include <stdlib.h>
#include <string.h>

#include "output/folded_lines.h"
#include "output/folded_name.h"
#include "output/label.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define RECENT_RUNS 8192 /* a power of two */

/* The number of the run that a location is, by its serial. */
struct recent_run {
	uint64_t key; /* 0: none */
	uint32_t number;
};

/*
 * A run is the text of one location's frames, each with the ; after it. Every run is kept once, and
 * a stack is the list of its runs' numbers: a fraction of the lines' size, and quick to merge. Where
 * different runs make the same line, these are merged when they have been sorted.
 */
struct folded {
	struct output_options options;
	struct folded_lines lines;
	struct VEC(uint32_t) stack; /* the one being built */
	struct text raw, name;	    /* scratch; name is the run being built */
	struct recent_run *recent;  /* RECENT_RUNS by their key */
};

static void *folded_create(const struct output_options *options)
{
	struct folded *folded = xcalloc(1, sizeof(*folded));

	folded->options = *options;
	folded->recent = xcalloc(RECENT_RUNS, sizeof(*folded->recent));
	return folded;
}

static void folded_destroy(void *state)
{
	struct folded *folded = state;

	folded_lines_deinit(&folded->lines);
	vec_deinit(&folded->stack);
	text_deinit(&folded->raw);
	text_deinit(&folded->name);
	free(folded->recent);
	free(folded);
}

/* The number of the run whose text stands in `name`. */
static uint32_t run_number(struct folded *folded)
{
	return folded_lines_run(&folded->lines, folded->name.data, folded->name.len);
}

static void push_literal(struct folded *folded, const char *s)
{
	text_clear(&folded->name);
	folded_name_add(&folded->name, s, strlen(s));
	text_add_char(&folded->name, ';');
	vec_push(&folded->stack, run_number(folded));
}

/* "comm-12/13" without what is unknown. */
static void add_ids(struct text *text, enum output_prefix prefix, const struct sample *sample)
{
	bool with_tid = prefix == OUTPUT_PREFIX_TID && sample->tid >= 0;

	if (prefix == OUTPUT_PREFIX_COMM || (sample->pid < 0 && !with_tid))
		return;
	text_add_char(text, '-');
	if (sample->pid >= 0)
		text_add_decimal(text, (uint64_t)sample->pid);
	else
		text_add_char(text, '?');
	if (with_tid)
		text_printf(text, "/%lld", (long long)sample->tid);
}

static void push_prefix(struct folded *folded, const struct sample *sample)
{
	enum output_prefix prefix = folded->options.prefix;
	struct text *name = &folded->name;

	if (prefix == OUTPUT_PREFIX_NONE)
		return;
	text_clear(name);
	if (sample->comm)
		folded_name_add_part(name, sample->comm, strlen(sample->comm));
	if (name->len)
		add_ids(name, prefix, sample);
	else if (sample->pid >= 0 && prefix == OUTPUT_PREFIX_TID && sample->tid >= 0)
		text_printf(
			name, "[pid %lld/%lld]", (long long)sample->pid, (long long)sample->tid);
	else if (sample->pid >= 0)
		text_printf(name, "[pid %lld]", (long long)sample->pid);
	else if (sample->tid >= 0)
		text_printf(name, "[tid %lld]", (long long)sample->tid);
	else
		return;
	folded_name_end(name, 0);
	text_add_char(name, ';');
	vec_push(&folded->stack, run_number(folded));
}

static const char *annotation(
	const struct location *location, const struct frame *frame, bool kernel)
{
	if (frame->inlined)
		return "_[i]";
	if (kernel)
		return "_[k]";
	return location->kind == LOCATION_JIT ? "_[j]" : "";
}

static void add_line(struct folded *folded, const struct frame *frame)
{
	const char *file = label_file(frame->file, &folded->options);

	text_add_char(&folded->name, ':');
	folded_name_add_part(&folded->name, file, strlen(file));
	if (frame->line)
		text_printf(&folded->name, ":%u", frame->line);
}

static void add_object(struct folded *folded, const struct location *location)
{
	const char *object = label_object(location);
	size_t len = object ? strlen(object) : 0;
	bool bracketed = len > 2 && object[0] == '[' && object[len - 1] == ']';

	if (!object)
		return;
	text_add_string(&folded->name, bracketed ? " " : " [");
	folded_name_add_part(&folded->name, object, len);
	if (!bracketed)
		text_add_char(&folded->name, ']');
}

static void add_frame(struct folded *folded, const struct location *location,
	const struct frame *frame, bool kernel)
{
	const struct output_options *options = &folded->options;
	struct text *name = &folded->name;
	size_t start = name->len;

	if (frame->function)
		folded_name_add_part(name, frame->function, strlen(frame->function));
	bool named = name->len > start;
	if (named && frame->qualifier) {
		text_add_char(name, ' ');
		folded_name_add_part(name, frame->qualifier, strlen(frame->qualifier));
	}
	if (!named) {
		text_clear(&folded->raw);
		label_add_function(&folded->raw, location);
		folded_name_add_part(name, folded->raw.data, folded->raw.len);
	}
	if (location->doubtful)
		text_add_char(name, '?');
	if (options->with_lines && frame->file && *frame->file)
		add_line(folded, frame);
	if (options->with_objects && named)
		add_object(folded, location);
	if (options->annotations)
		text_add_string(name, annotation(location, frame, kernel));
	folded_name_end(name, start);
	text_add_char(name, ';');
}

static uint32_t location_number(struct folded *folded, const struct location *location, bool kernel)
{
	text_clear(&folded->name);
	if (folded->options.mark_lost && location->lost_caller)
		text_add_string(&folded->name, "[caller lost];");
	for (size_t i = location->n_frames; i-- > 0;)
		add_frame(folded, location, &location->frames[i], kernel);
	return run_number(folded);
}

static uint64_t recent_key(const struct location *location, bool kernel)
{
	return location->serial * 2 + kernel;
}

/* Those from the last of N locations on whose run was there a moment ago; how many are left. */
static size_t known_numbers(const struct recent_run *recent,
	const struct location *const *locations, size_t n, bool kernel, uint32_t *ret)
{
	for (; n; n--) {
		uint64_t key = recent_key(locations[n - 1], kernel);
		const struct recent_run *run = &recent[key % RECENT_RUNS];

		if (run->key != key || key <= 1)
			break;
		*ret++ = run->number;
	}
	return n;
}

/* Root first: locations and the frames in them are leaf first. */
static void push_side(
	struct folded *folded, const struct location *const *locations, size_t n, bool kernel)
{
	if (!n)
		return;
	vec_reserve(&folded->stack, n);
	uint32_t *end = folded->stack.data + folded->stack.len + n;
	for (size_t left = n; left; left--) {
		left = known_numbers(folded->recent, locations, left, kernel, end - left);
		if (!left)
			break;
		uint64_t key = recent_key(locations[left - 1], kernel);
		uint32_t number = location_number(folded, locations[left - 1], kernel);
		folded->recent[key % RECENT_RUNS] = (struct recent_run){key, number};
		*(end - left) = number;
	}
	folded->stack.len += n;
}

static void folded_trace(void *state, const struct trace *trace, struct text *text)
{
	struct folded *folded = state;
	uint64_t weight = trace->sample->weight;

	(void)text;
	folded->stack.len = 0;
	push_prefix(folded, trace->sample);
	push_side(folded, trace->user, trace->n_user, false);
	if (folded->options.delimited && trace->n_user && trace->n_kernel)
		push_literal(folded, "-");
	push_side(folded, trace->kernel, trace->n_kernel, true);
	if (!folded->stack.len)
		push_literal(folded, "[no stack]");
	folded_lines_add(&folded->lines, folded->stack.data, folded->stack.len, weight);
}

static size_t folded_pieces(void *state)
{
	struct folded *folded = state;

	return folded_lines_order(&folded->lines);
}

static void folded_piece(const void *state, size_t i, struct text *text)
{
	const struct folded *folded = state;

	folded_lines_print(&folded->lines, i, text);
}

const struct format folded_format = {
	folded_create, folded_destroy, folded_trace, folded_pieces, folded_piece};
