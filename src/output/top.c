// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/top.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/object_names.h"
#include "model/stack.h"
#include "output/trace_path.h"
#include "output/label.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/json_text.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { SCHEMA = 1, ROWS = 20 };

struct top {
	struct output_options options;
	struct table numbers; /* name, NUL, identity → row number, from 1 */
	struct object_names objects;
	struct arena memory; /* names without marks */
	struct VEC(struct top_row) rows;
	uint64_t samples, weight;
	struct text name;	/* of the row, if a sample belongs to only one */
	struct trace_path path; /* frame numbers are row indexes, except with --by=stack */
};

const char *top_noun(enum top_by by)
{
	static const char *const nouns[] = {
#define X(name, word) [TOP_BY_##name] = #word,
		TOP_BYS(X)
#undef X
	};

	return nouns[by];
}

/* ---- counting ------------------------------------------------------------------------------- */

/*
 * Returns the index of the row with NAME and the object OBJECT (0: none), and adds it if it is new.
 * Modifies NAME.
 */
static uint32_t find_row(struct top *top, struct text *name, uint32_t object, bool unnamed)
{
	text_add(name, "", 1);
	text_add(name, (const char *)&object, sizeof(object));
	uint64_t number = table_number(&top->numbers, name->data, name->len);
	if (number > top->rows.len)
		vec_push(&top->rows,
			(struct top_row){.name = table_string(&top->numbers, name->data, name->len),
				.object =
					object ? object_names_get(&top->objects, object)->name : "",
				.identity = object,
				.unnamed = unnamed});
	return (uint32_t)(number - 1);
}

static void count(struct top *top, uint32_t index, uint64_t weight, bool self)
{
	struct top_row *row = &top->rows.data[index];

	if (self)
		weight_add(&row->self, weight);
	if (row->last == top->samples)
		return;
	row->last = top->samples;
	row->samples++;
	weight_add(&row->total, weight);
}

/*
 * Puts locations without a name into one row per reason and object. Rows for single addresses would
 * hide their total weight.
 */
static uint32_t row_number(void *context, struct text *name, const struct path_frame *frame)
{
	struct top *top = context;
	const struct location *location = frame->location;
	bool by_object = top->options.top.by == TOP_BY_OBJECT;

	if (!location)
		return find_row(top, name, 0, true);
	uint32_t object = object_names_number(
		&top->objects, top->options.diff ? NULL : location->object, label_object(location));
	if (by_object ? !object : !frame->frame->function) {
		/* why it has no name, or no object: "[no such process: it has exited]" */
		text_clear(name);
		if (location->kind == LOCATION_LOST)
			label_add(name, location);
		else if (location->status != FRAME_NAMED)
			text_printf(name, "[%s]", frame_status_words[location->status].text);
		else
			text_add_string(name,
				location->kind == LOCATION_JIT ? "[JIT code]" : "[unknown object]");
		return find_row(top, name, object, true);
	}
	if (by_object)
		text_clear(name);
	else if (location->status != FRAME_NAMED)
		return find_row(top, name, 0, true);
	uint32_t row = find_row(top, name, object, false);
	if (!by_object && frame->frame->shown && !top->rows.data[row].whole) {
		top->rows.data[row].mark = frame->mark;
		top->rows.data[row].whole = arena_string(&top->memory, frame->frame->function);
	}
	return row;
}

/* Adds a frame to the name of the only row of a sample. */
static uint32_t add_frame(void *context, struct text *name, const struct path_frame *frame)
{
	struct top *top = context;

	(void)frame;
	text_add_string(&top->name, top->name.len ? ";" : "");
	text_add(&top->name, name->data, name->len);
	return 0;
}

static void *top_create(const struct output_options *options)
{
	struct top *top = xnew(top);
	enum top_by by = options->top.by;

	top->options = *options;
	top->options.with_objects = by == TOP_BY_STACK && options->with_objects;
	top->options.with_lines = by == TOP_BY_LINE || options->with_lines;
	top->options.delimited = by == TOP_BY_STACK && options->delimited;
	top->options.mark_lost = by == TOP_BY_STACK && options->mark_lost;
	if (by != TOP_BY_STACK)
		top->options.prefix = by == TOP_BY_PROCESS ? OUTPUT_PREFIX_PID
				      : by == TOP_BY_COMM  ? OUTPUT_PREFIX_COMM
							   : OUTPUT_PREFIX_NONE;
	top->path = (struct trace_path){.options = &top->options,
		.number = by == TOP_BY_STACK ? add_frame : row_number,
		.context = top,
		.uncached = by == TOP_BY_STACK,
		.none = by == TOP_BY_STACK ? "[unknown]" : "[no stack]"};
	return top;
}

static void top_destroy(void *state)
{
	struct top *top = state;

	table_deinit(&top->numbers);
	object_names_deinit(&top->objects);
	arena_deinit(&top->memory);
	vec_deinit(&top->rows);
	text_deinit(&top->name);
	trace_path_deinit(&top->path);
	free(top);
}

bool top_is_by_sample(enum top_by by)
{
	return by == TOP_BY_PROCESS || by == TOP_BY_COMM || by == TOP_BY_STACK;
}

static void top_trace(void *state, const struct trace *trace, struct text *text)
{
	struct top *top = state;
	enum top_by by = top->options.top.by;
	uint64_t weight = trace->sample->weight;
	const struct trace_path *path = &top->path;
	bool named = true;

	(void)text;
	top->samples++;
	weight_add(&top->weight, weight);
	text_clear(&top->name);
	if (by == TOP_BY_PROCESS || by == TOP_BY_COMM)
		named = folded_frame_add_prefix(&top->name, top->options.prefix, trace->sample);
	else
		named = trace_path_build(&top->path, trace);
	if (top_is_by_sample(by)) {
		if (!top->name.len)
			text_add_string(&top->name, "[unknown]");
		count(top, find_row(top, &top->name, 0, !named), weight, true);
		return;
	}
	for (size_t i = 0; i < path->frames.len; i++)
		count(top, path->frames.data[i], weight, i + 1 == path->frames.len);
}

/* ---- differences ---------------------------------------------------------------------------- */

void top_begin_side(void *state)
{
	struct top *top = state;

	vec_each(row, &top->rows) {
		row->old_self = row->self;
		row->old_total = row->total;
		row->self = row->total = 0;
	}
}

struct top_row *top_rows(void *state, size_t *n_ret)
{
	struct top *top = state;
	size_t n = top->rows.len;
	struct top_row *rows = top->rows.data;

	*n_ret = n;
	if (top->options.top.json)
		return rows;
	auto_free struct marked_name *names = xcalloc(n, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = (struct marked_name){.name = rows[i].name,
			.whole = rows[i].whole,
			.mark = rows[i].mark,
			.number = rows[i].identity};
	names_distinguish(names, n, &top->objects, &top->memory);
	for (size_t i = 0; i < n; i++) {
		rows[i].name = names[i].name;
		rows[i].object = names[i].object;
	}
	return rows;
}

/* ---- printing ------------------------------------------------------------------------------- */

COMPARE(compare_rows, struct top_row,
	order_of(b->self, a->self) ?: order_of(b->total, a->total) ?: strcmp(a->name, b->name)
		?: strcmp(a->object, b->object))

/* The table is one piece. */
static size_t top_pieces(void *state)
{
	struct top *top = state;
	size_t n;

	(void)top_rows(top, &n);
	vec_sort(&top->rows, compare_rows);
	return 1;
}

size_t top_shown_rows(const struct top_options *options, size_t n)
{
	size_t wanted = options->rows;

	if (!wanted && !options->json)
		wanted = ROWS;
	return wanted && wanted < n ? wanted : n;
}

void top_add_bar(struct text *text, int color, double share)
{
	int cells = (int)(share / 100 * TOP_BAR + 0.5);

	text_printf(text, "\033[%dm%*s\033[0m%*s ", color, cells, "", TOP_BAR - cells, "");
}

/* Adds "  1.5 %   123", and on a terminal a bar after the percentage. */
static void add_share(struct text *text, const struct top *top, uint64_t weight, int width)
{
	double share = top->weight ? (double)weight / (double)top->weight * 100 : 0;

	if (weight < top->weight && share > 99.9)
		share = 99.9; /* only all of it is 100 */
	text_printf(text, "%5.1f %% ", share);
	if (top->options.color)
		top_add_bar(text, 7, share);
	text_printf(text, "%*" PRIu64 "  ", width, weight);
}

int top_weight_width(uint64_t weight)
{
	int digits = snprintf(NULL, 0, "%" PRIu64, weight);

	return digits < TOP_WIDTH_MIN ? TOP_WIDTH_MIN : digits;
}

void top_add_name(struct text *text, const struct top_row *row)
{
	text_add_string(text, row->name);
	if (*row->object)
		text_printf_escaped(text, *row->name ? "  %s" : "%s", row->object);
	text_add_char(text, '\n');
}

void top_add_json_name(struct text *text, const struct top_row *row, enum top_by by)
{
	if (*row->name)
		json_add_string(text, row->unnamed ? "reason" : top_noun(by), row->name);
	json_add_known(text, "object", row->object);
}

static void add_table(struct text *text, const struct top *top)
{
	int width = top_weight_width(top->weight), bar = top->options.color ? TOP_BAR + 1 : 0;
	bool whole = top_is_by_sample(top->options.top.by);
	size_t n = top_shown_rows(&top->options.top, top->rows.len);
	uint64_t left = 0;

	text_printf(text, "%" PRIu64 " sample%s, weight %" PRIu64 "\n", top->samples,
		top->samples == 1 ? "" : "s", top->weight);
	if (!n)
		return;
	text_printf(text, "%*s  ", 8 + bar + width, whole ? "weight" : "self");
	if (!whole)
		text_printf(text, "%*s  ", 8 + bar + width, "total");
	text_printf(text, "%s\n", top_noun(top->options.top.by));
	array_each(row, top->rows.data, n) {
		add_share(text, top, row->self, width);
		if (!whole)
			add_share(text, top, row->total, width);
		top_add_name(text, row);
	}
	for (size_t i = n; i < top->rows.len; i++)
		weight_add(&left, top->rows.data[i].self);
	if (n < top->rows.len) {
		add_share(text, top, left, width);
		text_printf(text, "%zu more\n", top->rows.len - n);
	}
}

static void add_json(struct text *text, const struct top *top)
{
	size_t n = top_shown_rows(&top->options.top, top->rows.len);
	bool whole = top_is_by_sample(top->options.top.by);

	text_printf(text,
		"{\"schema\":%d,\"by\":\"%s\",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
		",\"rows_left\":%zu,\"rows\":[",
		SCHEMA, top_noun(top->options.top.by), top->samples, top->weight,
		top->rows.len - n);
	array_each(row, top->rows.data, n) {
		json_open(text, NULL, '{');
		top_add_json_name(text, row, top->options.top.by);
		if (row->identity) {
			const struct known_object *object =
				object_names_get(&top->objects, row->identity);

			json_add_known(text, "path", object->path);
			json_add_known(text, "build_id", object->build_id.digits);
		}
		json_add_unsigned(text, whole ? "weight" : "self", row->self);
		if (!whole)
			json_add_unsigned(text, "total", row->total);
		json_add_unsigned(text, "samples", row->samples);
		text_add_char(text, '}');
	}
	text_add_string(text, "]}\n");
}

static void top_piece(const void *state, size_t i, struct text *text)
{
	const struct top *top = state;

	(void)i;
	if (top->options.top.json)
		add_json(text, top);
	else
		add_table(text, top);
}

const struct format top_format = {top_create, top_destroy, top_trace, top_pieces, top_piece};
