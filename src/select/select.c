// SPDX-License-Identifier: GPL-2.0-or-later
#include "select/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "health/stack_health.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/file.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { RECENT = 4096, NUMBER_SIZE = 24, COMMS_MAX = 1 << 16 };

/* Why a trace is left out. */
enum left_by {
	LEFT_ONLY,				      /* plus the kind */
	LEFT_WITHOUT = LEFT_ONLY + SELECT_KIND_COUNT, /* plus the kind */
	LEFT_ROOT = LEFT_WITHOUT + SELECT_KIND_COUNT,
	LEFT_USER_ONLY,
	LEFT_KERNEL_ONLY,
	LEFT_TIME,
	LEFT_NO_TIME,
	REASON_COUNT,
};

struct recent_matches {
	uint64_t serial; /* 0: unused entry */
	uint64_t rules;	 /* bit mask of the rules that match a frame of the location */
};

struct selection {
	struct select_options options;
	/* bit masks of rules */
	uint64_t of_action[SELECT_ACTION_COUNT], of_kind[SELECT_KIND_COUNT];
	uint64_t of_frames; /* bit mask of the rules of frames */
	uint64_t first_time;
	uint64_t weight, left[REASON_COUNT];
	/* The trace that selection_apply() returns, and what it points to. */
	struct trace trace;
	struct sample sample;
	struct VEC(const struct location *) locations; /* kernel, then user, leaf first */
	struct location outermost, innermost;
	struct unwound unwound;
	struct recent_matches recent[RECENT];
	/* For each process whose name is unknown, the first name of one of its threads. */
	struct table comms; /* pid → string in `strings` */
	struct arena strings;
};

struct frame_at {
	size_t location, frame; /* indexes: in `locations`, and in the frames of that location */
};

struct selection *selection_create(const struct select_options *options)
{
	if (!options->rules.len && !options->no_user && !options->no_kernel &&
		!options->from.given && !options->until.given && !options->merge_threads)
		return NULL;
	struct selection *selection = xnew(selection);
	selection->options = *options;
	for (size_t i = 0; i < options->rules.len; i++) {
		const struct select_rule *rule = &options->rules.data[i];

		selection->of_action[rule->action] |= 1ULL << i;
		selection->of_kind[rule->kind] |= 1ULL << i;
		if (rule->kind >= SELECT_FUNCTION)
			selection->of_frames |= 1ULL << i;
	}
	return selection;
}

void selection_destroy(struct selection *selection)
{
	if (!selection)
		return;
	vec_deinit(&selection->locations);
	table_deinit(&selection->comms);
	arena_deinit(&selection->strings);
	free(selection);
}

/* ---- patterns ------------------------------------------------------------------------------- */

static bool string_matches(const char *pattern, const char *s)
{
	return s && text_matches(s, strlen(s), pattern);
}

static bool number_matches(const char *pattern, int64_t number)
{
	char digits[NUMBER_SIZE];

	if (number < 0)
		return false;
	snprintf(digits, sizeof(digits), "%" PRId64, number);
	return string_matches(pattern, digits);
}

/* Returns the length of a demangled name without its arguments, in bytes. */
static size_t without_arguments(const char *name)
{
	static const char *const parts[] = {"(anonymous namespace)", "operator()"};
	const char *p = name;

	while (*p) {
		size_t skip = 0;

		array_each(part, parts, array_len(parts))
			if (!strncmp(p, *part, strlen(*part)))
				skip = strlen(*part);
		if (!skip && *p == '(')
			break;
		p += skip ? skip : 1;
	}
	return (size_t)(p - name);
}

static bool frame_matches(
	const struct select_rule *rule, const struct location *location, const struct frame *frame)
{
	const char *pattern = rule->pattern;
	const struct frame_object *object = location->object;

	switch (rule->kind) {
	case SELECT_FUNCTION:
		return string_matches(pattern, frame->function) ||
		       string_matches(pattern, frame->linkage) ||
		       string_matches(pattern, frame->shown) ||
		       (frame->function && text_matches(frame->function,
						   without_arguments(frame->function), pattern));
	case SELECT_OBJECT:
		return object && (string_matches(pattern, object->name) ||
					 string_matches(pattern, object->path));
	case SELECT_FILE:
		return frame->file && (string_matches(pattern, frame->file) ||
					      string_matches(pattern, file_base_name(frame->file)));
	default:
		return false;
	}
}

/* Returns a bit mask of the rules that match FRAME of LOCATION. */
static uint64_t rules_of_frame(const struct selection *selection, const struct location *location,
	const struct frame *frame)
{
	uint64_t rules = 0;

	for (size_t i = 0; i < selection->options.rules.len; i++)
		if (frame_matches(&selection->options.rules.data[i], location, frame))
			rules |= 1ULL << i;
	return rules;
}

static bool sample_matches(const struct select_rule *rule, const struct sample *sample)
{
	switch (rule->kind) {
	case SELECT_PID:
		return number_matches(rule->pattern, sample->pid);
	case SELECT_TID:
		return number_matches(rule->pattern, sample->tid);
	case SELECT_COMM:
		return string_matches(rule->pattern, sample->comm);
	default:
		return false;
	}
}

/* Returns a bit mask of the rules that match a frame of LOCATION. */
static uint64_t rules_of_location(struct selection *selection, const struct location *location)
{
	struct recent_matches *recent = &selection->recent[location->serial % RECENT];
	uint64_t rules = 0;

	if (location->serial && recent->serial == location->serial)
		return recent->rules;
	array_each(frame, location->frames, location->n_frames)
		rules |= rules_of_frame(selection, location, frame);
	*recent = (struct recent_matches){location->serial, rules};
	return rules;
}

/* Returns a bit mask of the rules that match the sample or a frame of the trace. */
static uint64_t rules_of_trace(struct selection *selection)
{
	uint64_t rules = 0;

	for (size_t i = 0; i < selection->options.rules.len; i++)
		if (sample_matches(&selection->options.rules.data[i], &selection->sample))
			rules |= 1ULL << i;
	for (size_t i = 0; selection->of_frames && i < selection->locations.len; i++)
		rules |= rules_of_location(selection, selection->locations.data[i]);
	return rules;
}

/* ---- traces that are left out --------------------------------------------------------------- */

static uint64_t absolute(const struct selection *selection, const struct select_time *time)
{
	return time->relative ? selection->first_time + time->ns : time->ns;
}

/* Returns why the time of SAMPLE leaves it out, REASON_COUNT if it does not. */
static enum left_by reason_of_time(struct selection *selection, const struct sample *sample)
{
	const struct select_options *options = &selection->options;

	if (!options->from.given && !options->until.given)
		return REASON_COUNT;
	if (!sample->time)
		return LEFT_NO_TIME;
	if (!selection->first_time)
		selection->first_time = sample->time;
	if ((options->from.given && sample->time < absolute(selection, &options->from)) ||
		(options->until.given && sample->time >= absolute(selection, &options->until)))
		return LEFT_TIME;
	return REASON_COUNT;
}

static enum left_by reason_of_rules(const struct selection *selection, uint64_t rules)
{
	for (int kind = 0; kind < SELECT_KIND_COUNT; kind++) {
		uint64_t only = selection->of_action[SELECT_ONLY] & selection->of_kind[kind];
		uint64_t without = selection->of_action[SELECT_WITHOUT] & selection->of_kind[kind];

		if (only && !(only & rules))
			return (enum left_by)(LEFT_ONLY + kind);
		if (without & rules)
			return (enum left_by)(LEFT_WITHOUT + kind);
	}
	uint64_t root = selection->of_action[SELECT_ROOT];
	return root && !(root & rules) ? LEFT_ROOT : REASON_COUNT;
}

/* ---- cutting stacks ------------------------------------------------------------------------- */

/*
 * Finds the outermost frame of the locations [0, END) that one of the WANTED rules matches. Returns
 * false if there is none.
 */
static bool find_outermost(
	struct selection *selection, uint64_t wanted, size_t end, struct frame_at *ret)
{
	for (size_t i = end; i-- > 0;) {
		const struct location *location = selection->locations.data[i];

		if (!(rules_of_location(selection, location) & wanted))
			continue;
		for (size_t j = location->n_frames; j-- > 0;)
			if (rules_of_frame(selection, location, &location->frames[j]) & wanted) {
				*ret = (struct frame_at){i, j};
				return true;
			}
	}
	return false;
}

/* Replaces the location at index AT by COPY, with N of its frames from FIRST on. */
static void cut_location(
	struct selection *selection, size_t at, struct location *copy, size_t first, size_t n)
{
	*copy = *selection->locations.data[at];
	copy->frames += first;
	copy->n_frames = n;
	copy->serial = 0;
	selection->locations.data[at] = copy;
}

/* Applies --root and --collapse, and sets the remaining locations in the trace. */
static void cut_stacks(struct selection *selection)
{
	struct trace *trace = &selection->trace;
	const struct location **all = selection->locations.data;
	size_t first = 0, end = selection->locations.len, n_kernel = trace->n_kernel;
	struct frame_at at;
	bool rooted = find_outermost(selection, selection->of_action[SELECT_ROOT], end, &at);

	if (rooted) {
		end = at.location + 1;
		if (at.frame + 1 < all[at.location]->n_frames)
			cut_location(
				selection, at.location, &selection->outermost, 0, at.frame + 1);
	}
	bool collapsed = find_outermost(selection, selection->of_action[SELECT_COLLAPSE], end, &at);
	if (collapsed) {
		first = at.location;
		if (at.frame)
			cut_location(selection, first, &selection->innermost, at.frame,
				all[first]->n_frames - at.frame);
	}
	size_t kernel_end = end < n_kernel ? end : n_kernel;
	size_t user_first = first > n_kernel ? first : n_kernel;
	trace->kernel = all + first;
	trace->n_kernel = first < kernel_end ? kernel_end - first : 0;
	trace->user = all + user_first;
	trace->n_user = user_first < end ? end - user_first : 0;
	if (rooted || collapsed) {
		health_restrict(&trace->user_health, trace->user, trace->n_user, rooted);
		health_restrict(&trace->kernel_health, trace->kernel, trace->n_kernel,
			rooted && end <= n_kernel);
	}
	if (selection->sample.user.unwound) {
		selection->unwound = *selection->sample.user.unwound;
		selection->unwound.frames += user_first - n_kernel;
		selection->sample.user.unwound = &selection->unwound;
	}
}

/* Copies TRACE into the selection, where it can be cut, without the stack that is not wanted. */
static void copy_trace(struct selection *selection, const struct trace *trace)
{
	const struct stack none = {.state = STACK_ABSENT, .id = -1};
	struct trace *copy = &selection->trace;

	*copy = *trace;
	selection->sample = *trace->sample;
	copy->sample = &selection->sample;
	if (selection->options.no_user) {
		copy->n_user = 0;
		copy->user_health = (struct stack_health){};
		selection->sample.user = none;
	}
	if (selection->options.no_kernel) {
		copy->n_kernel = 0;
		copy->kernel_health = (struct stack_health){};
		selection->sample.kernel = none;
	}
	selection->locations.len = 0;
	vec_append(&selection->locations, copy->kernel, copy->n_kernel);
	vec_append(&selection->locations, copy->user, copy->n_user);
}

/* Gives the sample the name of its process: if it is unknown, the first name of a thread. */
static void merge_threads(struct selection *selection)
{
	struct sample *sample = &selection->sample;
	bool added;

	if (sample->pid < 0)
		return;
	sample->tid = -1;
	if (sample->process_comm)
		sample->comm = sample->process_comm;
	if (sample->process_comm || !sample->comm || !*sample->comm)
		return;
	if (selection->comms.len >= COMMS_MAX) {
		table_clear(&selection->comms);
		arena_deinit(&selection->strings);
	}
	uint64_t *comm = table_at(&selection->comms, &sample->pid, sizeof(sample->pid), &added);
	if (added)
		*comm = (uintptr_t)arena_string(&selection->strings, sample->comm);
	sample->comm = (const char *)(uintptr_t)*comm;
}

const struct trace *selection_apply(struct selection *selection, const struct trace *trace)
{
	const struct select_options *options = &selection->options;
	uint64_t weight = trace->sample->weight;

	weight_add(&selection->weight, weight);
	enum left_by reason = reason_of_time(selection, trace->sample);
	if (reason == REASON_COUNT) {
		copy_trace(selection, trace);
		if ((options->no_user || options->no_kernel) && !selection->locations.len)
			reason = options->no_kernel ? LEFT_USER_ONLY : LEFT_KERNEL_ONLY;
		else
			reason = reason_of_rules(selection, rules_of_trace(selection));
	}
	if (reason != REASON_COUNT) {
		weight_add(&selection->left[reason], weight);
		return NULL;
	}
	cut_stacks(selection);
	if (options->merge_threads)
		merge_threads(selection);
	return &selection->trace;
}

/* ---- summary line --------------------------------------------------------------------------- */

void selection_add_line(const struct selection *selection, struct text *text)
{
	static const char *const kinds[] = {
#define X(name, word) [SELECT_##name] = #word,
		SELECT_KINDS(X)
#undef X
	};
	static const char *const options[] = {[LEFT_ROOT] = "--root",
		[LEFT_USER_ONLY] = "--user-only (no user stack)",
		[LEFT_KERNEL_ONLY] = "--kernel-only (no kernel stack)",
		[LEFT_TIME] = "--from and --until",
		[LEFT_NO_TIME] = "--from and --until (no time)"};
	const char *before = "left out: ";

	for (int i = 0; i < REASON_COUNT; i++) {
		if (!selection->left[i])
			continue;
		text_printf(text, "%sweight %" PRIu64 " (%.1f %%) by ", before, selection->left[i],
			(double)selection->left[i] / (double)selection->weight * 100);
		if (i < LEFT_WITHOUT)
			text_printf(text, "--only %s", kinds[i - LEFT_ONLY]);
		else if (i < LEFT_ROOT)
			text_printf(text, "--without %s", kinds[i - LEFT_WITHOUT]);
		else
			text_add_string(text, options[i]);
		before = ", ";
	}
}
