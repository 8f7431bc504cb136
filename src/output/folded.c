// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded.h"

#include <stdlib.h>
#include <string.h>

#include "output/folded_frame.h"
#include "output/folded_lines.h"
#include "output/folded_name.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define RECENT_RUNS 32768 /* a power of two */

/* The number of the run that a location is, by recent_key(). */
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
	struct text name;	    /* the run being built */
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

static void push_prefix(struct folded *folded, const struct sample *sample)
{
	text_clear(&folded->name);
	if (!folded_frame_add_prefix(&folded->name, folded->options.prefix, sample))
		return;
	text_add_char(&folded->name, ';');
	vec_push(&folded->stack, run_number(folded));
}

static uint32_t location_number(struct folded *folded, const struct location *location, bool kernel)
{
	text_clear(&folded->name);
	if (folded->options.mark_lost && location->lost_caller && !location->caller_guessed)
		text_add_string(&folded->name, "[caller lost];");
	for (size_t i = location->n_frames; i-- > 0;) {
		folded_frame_add(
			&folded->name, location, &location->frames[i], kernel, &folded->options);
		text_add_char(&folded->name, ';');
	}
	return run_number(folded);
}

/* By the number of its names where these are all that its run says; at most 1: it is not numbered. */
static uint64_t recent_key(const struct location *location, bool kernel)
{
	bool by_names = location->serial && location->names && !location->doubtful &&
			!location->lost_caller;

	return (by_names ? location->names : location->serial) * 4 + 2 * by_names + kernel;
}

/* Those from the last of N locations on whose run was there a moment ago; how many are left. */
static size_t known_numbers(const struct recent_run *recent,
	const struct location *const *locations, size_t n, bool kernel, uint32_t *ret)
{
	for (; n; n--) {
		uint64_t key = recent_key(locations[n - 1], kernel);
		const struct recent_run *run = &recent[key / 4 % RECENT_RUNS];

		if (run->key != key || key < 4)
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
		folded->recent[key / 4 % RECENT_RUNS] = (struct recent_run){key, number};
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
