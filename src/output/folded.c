// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/folded.h"

#include <stdlib.h>
#include <string.h>

#include "output/folded_name.h"
#include "output/label.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define RECENT_NAMES 4096 /* a power of two */
#define RECENT_BYTES (4U << 20)

/* The number of a plain frame, by the function's name where it stood and what it was. */
struct recent_name {
	const char *at;
	const char *function; /* a copy; NULL: none */
	uint32_t number;
};

/*
 * Every frame's text is kept once, and a stack is the list of its frames' numbers: a fraction of
 * the lines' size, and quick to merge.
 */
struct folded {
	struct output_options options;
	bool plain; /* a frame's text is its function's name */
	struct table names;	    /* safe text of a frame -> its number */
	struct table stacks;	    /* frame numbers, root first -> sum of weights */
	struct VEC(uint32_t) stack; /* the one being built */
	struct text raw, name;	    /* scratch */
	struct recent_name *recent; /* RECENT_NAMES by their address */
	struct arena functions;	    /* what the recent names were made of */
	/* Made by the first folded_rest() */
	const struct table_slot **by_number;	      /* names by their number */
	struct arena lines;
	const char **pieces;			      /* the same, each with the ; behind it */
	struct VEC(const struct table_slot *) sorted; /* stacks in output order */
	size_t printed;				      /* of `sorted` */
};

static void *folded_create(const struct output_options *options)
{
	struct folded *folded = xcalloc(1, sizeof(*folded));

	folded->options = *options;
	folded->plain = !options->with_lines && !options->with_objects && !options->annotations;
	folded->recent = xcalloc(RECENT_NAMES, sizeof(*folded->recent));
	return folded;
}

static void folded_destroy(void *state)
{
	struct folded *folded = state;

	table_deinit(&folded->names);
	table_deinit(&folded->stacks);
	vec_deinit(&folded->stack);
	text_deinit(&folded->raw);
	text_deinit(&folded->name);
	free(folded->by_number);
	free(folded->pieces);
	free(folded->recent);
	arena_deinit(&folded->functions);
	arena_deinit(&folded->lines);
	vec_deinit(&folded->sorted);
	free(folded);
}

/* Appends the frame whose text stands in `name` to the stack. */
static void push_name(struct folded *folded)
{
	bool added;
	uint64_t *number = table_at(&folded->names, folded->name.data, folded->name.len, &added);

	if (added)
		*number = folded->names.len - 1;
	vec_push(&folded->stack, (uint32_t)*number);
}

static void push_literal(struct folded *folded, const char *s)
{
	text_clear(&folded->name);
	folded_name_add(&folded->name, s, strlen(s));
	push_name(folded);
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
	push_name(folded);
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

static void push_frame(struct folded *folded, const struct location *location,
	const struct frame *frame, bool kernel)
{
	const struct output_options *options = &folded->options;
	struct text *name = &folded->name;

	text_clear(name);
	if (frame->function)
		folded_name_add_part(name, frame->function, strlen(frame->function));
	bool named = name->len > 0;
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
	folded_name_end(name, 0);
	push_name(folded);
}

/* Most frames were there a moment ago: their text need not be made again. */
static void push_recent_frame(struct folded *folded, const struct location *location,
	const struct frame *frame, bool kernel)
{
	const char *at = frame->function;
	uintptr_t place = (uintptr_t)at;
	struct recent_name *recent = &folded->recent[(place ^ place >> 12) % RECENT_NAMES];

	if (!folded->plain || !at || frame->qualifier || location->doubtful) {
		push_frame(folded, location, frame, kernel);
		return;
	}
	/* A name may have moved, and another one be in its place. */
	if (recent->at == at && recent->function && !strcmp(recent->function, at)) {
		vec_push(&folded->stack, recent->number);
		return;
	}
	push_frame(folded, location, frame, kernel);
	if (folded->functions.bytes > RECENT_BYTES) {
		arena_deinit(&folded->functions);
		memset(folded->recent, 0, RECENT_NAMES * sizeof(*folded->recent));
	}
	*recent = (struct recent_name){at, arena_string(&folded->functions, at),
		folded->stack.data[folded->stack.len - 1]};
}

/* Root first: locations and the frames in them are leaf first. */
static void push_side(
	struct folded *folded, const struct location *const *locations, size_t n, bool kernel)
{
	for (size_t i = n; i-- > 0;)
		for (size_t j = locations[i]->n_frames; j-- > 0;)
			push_recent_frame(
				folded, locations[i], &locations[i]->frames[j], kernel);
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
	uint64_t *sum = table_at(&folded->stacks, folded->stack.data,
		folded->stack.len * sizeof(*folded->stack.data), NULL);
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

static uint32_t frame_number(const struct table_slot *stack, size_t i)
{
	uint32_t number;

	memcpy(&number, stack->key + i * sizeof(number), sizeof(number));
	return number;
}

/*
 * What follows the name AT, SHORTER being its length in the other name: the byte there, or what
 * comes after the name: the ';' before the next frame, or nothing.
 */
static int byte_after(const struct table_slot *name, size_t shorter, bool more_frames)
{
	if (name->key_len > shorter)
		return (unsigned char)name->key[shorter];
	return more_frames ? ';' : -1;
}

/* As memcmp() of the printed stacks would: only the first different frame has to be looked at. */
static int compare_stacks(const void *a, const void *b, void *context)
{
	const struct folded *folded = context;
	const struct table_slot *x = *(const struct table_slot *const *)a;
	const struct table_slot *y = *(const struct table_slot *const *)b;
	size_t nx = x->key_len / sizeof(uint32_t), ny = y->key_len / sizeof(uint32_t), i = 0;

	while (i < nx && i < ny && frame_number(x, i) == frame_number(y, i))
		i++;
	if (i == nx || i == ny)
		return (nx > ny) - (nx < ny);
	const struct table_slot *name_x = folded->by_number[frame_number(x, i)];
	const struct table_slot *name_y = folded->by_number[frame_number(y, i)];
	size_t shorter = name_x->key_len < name_y->key_len ? name_x->key_len : name_y->key_len;
	int order = memcmp(name_x->key, name_y->key, shorter);
	if (order)
		return order;
	return byte_after(name_x, shorter, i + 1 < nx) - byte_after(name_y, shorter, i + 1 < ny);
}

static void add_piece(struct folded *folded, const struct table_slot *name)
{
	char *piece = arena_alloc(&folded->lines, name->key_len + 1);

	memcpy(piece, name->key, name->key_len);
	piece[name->key_len] = ';';
	folded->pieces[name->value] = piece;
	folded->by_number[name->value] = name;
}

static void sort_stacks(struct folded *folded)
{
	const struct table *names = &folded->names, *stacks = &folded->stacks;

	folded->by_number = xcalloc(names->len, sizeof(*folded->by_number));
	folded->pieces = xcalloc(names->len, sizeof(*folded->pieces));
	for (size_t i = 0; i < names->cap; i++)
		if (names->slots[i].key)
			add_piece(folded, &names->slots[i]);
	for (size_t i = 0; i < stacks->cap; i++)
		if (stacks->slots[i].key)
			vec_push(&folded->sorted, &stacks->slots[i]);
	qsort_r(folded->sorted.data, folded->sorted.len, sizeof(*folded->sorted.data),
		compare_stacks, folded);
}

static bool folded_rest(void *state, struct text *text)
{
	struct folded *folded = state;

	if (!folded->stacks.len)
		return false;
	if (!folded->by_number)
		sort_stacks(folded);
	if (folded->printed == folded->sorted.len)
		return false;
	const struct table_slot *stack = folded->sorted.data[folded->printed++];
	for (size_t i = 0; i < stack->key_len / sizeof(uint32_t); i++) {
		uint32_t number = frame_number(stack, i);

		text_add(text, folded->pieces[number], folded->by_number[number]->key_len + 1);
	}
	text->data[text->len - 1] = ' ';
	text_add_decimal(text, stack->value);
	text_add_char(text, '\n');
	return true;
}

const struct format folded_format = {folded_create, folded_destroy, folded_trace, folded_rest};
