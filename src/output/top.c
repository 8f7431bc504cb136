// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/top.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/weight.h"
#include "output/folded_frame.h"
#include "output/folded_name.h"
#include "output/label.h"
#include "util/json_text.h"
#include "util/order.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* RECENT locations are found by their serial; of those with more frames than CHAIN_MAX each is looked up. */
enum { SCHEMA = 1, ROWS = 20, RECENT = 4096, CHAIN_MAX = 6, BAR = 10 };

/* The rows of a location's frames, innermost first. */
struct recent_rows {
	uint64_t key; /* serial and side; 0: none */
	uint32_t rows[CHAIN_MAX];
};

struct top {
	struct output_options options;
	struct table numbers; /* name, NUL, object -> number of the row, from 1 */
	struct arena strings;
	struct VEC(struct top_row) rows;
	uint64_t samples, weight;
	struct text name; /* scratch */
	struct recent_rows *recent;
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

static void *top_create(const struct output_options *options)
{
	struct top *top = xcalloc(1, sizeof(*top));

	top->options = *options;
	top->options.with_objects = options->top.by == TOP_BY_STACK && options->with_objects;
	top->options.with_lines = options->top.by == TOP_BY_LINE || options->with_lines;
	top->recent = xcalloc(RECENT, sizeof(*top->recent));
	return top;
}

static void top_destroy(void *state)
{
	struct top *top = state;

	table_deinit(&top->numbers);
	arena_deinit(&top->strings);
	vec_deinit(&top->rows);
	text_deinit(&top->name);
	free(top->recent);
	free(top);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* The index of the row whose name stands in `name`. */
static uint32_t find_row(struct top *top, const char *object, bool unnamed)
{
	struct text *key = &top->name;
	size_t len = key->len;

	text_add(key, "", 1);
	text_add_string(key, object);
	uint64_t number = table_number(&top->numbers, key->data, key->len);
	if (number > top->rows.len) {
		const char *strings = arena_copy(&top->strings, key->data, key->len);

		vec_push(&top->rows,
			(struct top_row){
				.name = strings, .object = strings + len + 1, .unnamed = unnamed});
	}
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

/* What has no name is a row for each reason and object: single addresses would hide how much it is. */
static uint32_t unnamed_row(struct top *top, const struct location *location)
{
	const char *object = label_object(location);

	text_clear(&top->name);
	if (location->kind == LOCATION_LOST)
		label_add(&top->name, location);
	else
		text_printf(&top->name, "[%s]", frame_status_text(location->status));
	return find_row(top, object ?: "", true);
}

static uint32_t frame_row(
	struct top *top, const struct location *location, const struct frame *frame, bool kernel)
{
	const char *object = label_object(location);

	text_clear(&top->name);
	if (top->options.top.by == TOP_BY_OBJECT) {
		if (!object)
			return unnamed_row(top, location);
		folded_name_add_part(&top->name, object, strlen(object));
		return find_row(top, "", false);
	}
	if (!frame->function)
		return unnamed_row(top, location);
	folded_frame_add(&top->name, location, frame, kernel, &top->options);
	if (location->status != FRAME_NAMED)
		return find_row(top, "", true);
	return find_row(top, object ?: "", false);
}

/* Counts the frames of one location; SELF: the innermost one is that of the sample. */
static void count_location(
	struct top *top, const struct location *location, bool kernel, uint64_t weight, bool self)
{
	size_t n = top->options.top.by == TOP_BY_OBJECT ? 1 : location->n_frames;
	uint64_t key = location->serial && n <= CHAIN_MAX ? location->serial * 2 + kernel : 0;
	struct recent_rows *recent = &top->recent[key % RECENT];
	bool known = key && recent->key == key;

	if (key)
		recent->key = key;
	for (size_t i = 0; i < n; i++) {
		uint32_t row = known ? recent->rows[i]
				     : frame_row(top, location, &location->frames[i], kernel);

		if (key)
			recent->rows[i] = row;
		count(top, row, weight, self && !i);
	}
}

static void count_frames(struct top *top, const struct trace *trace)
{
	uint64_t weight = trace->sample->weight;

	for (size_t i = 0; i < trace->n_kernel; i++)
		count_location(top, trace->kernel[i], true, weight, !i);
	for (size_t i = 0; i < trace->n_user; i++)
		count_location(top, trace->user[i], false, weight, !i && !trace->n_kernel);
}

/* Another frame of a stack, which MARK is or begins with. */
static void add_mark(struct text *text, const char *mark)
{
	text_add_string(text, text->len ? ";" : "");
	text_add_string(text, mark);
}

/* Root first, as folded stacks are. */
static void add_side(
	struct top *top, const struct location *const *locations, size_t n, bool kernel)
{
	for (size_t i = n; i-- > 0;) {
		if (top->options.mark_lost && locations[i]->lost_caller &&
			!locations[i]->caller_guessed)
			add_mark(&top->name, "[caller lost]");
		for (size_t j = locations[i]->n_frames; j-- > 0;) {
			add_mark(&top->name, "");
			folded_frame_add(&top->name, locations[i], &locations[i]->frames[j], kernel,
				&top->options);
		}
	}
}

/* The name of a sample that is one row as a whole. */
static void name_sample(struct top *top, const struct trace *trace)
{
	enum top_by by = top->options.top.by;

	text_clear(&top->name);
	(void)folded_frame_add_prefix(&top->name,
		by == TOP_BY_PROCESS ? OUTPUT_PREFIX_PID
		: by == TOP_BY_COMM  ? OUTPUT_PREFIX_COMM
				     : top->options.prefix,
		trace->sample);
	if (by != TOP_BY_STACK)
		return;
	add_side(top, trace->user, trace->n_user, false);
	if (top->options.delimited && trace->n_user && trace->n_kernel)
		add_mark(&top->name, "-");
	add_side(top, trace->kernel, trace->n_kernel, true);
}

bool top_is_by_sample(enum top_by by)
{
	return by == TOP_BY_PROCESS || by == TOP_BY_COMM || by == TOP_BY_STACK;
}

static void top_trace(void *state, const struct trace *trace, struct text *text)
{
	struct top *top = state;
	bool whole = top_is_by_sample(top->options.top.by);

	(void)text;
	top->samples++;
	weight_add(&top->weight, trace->sample->weight);
	if (!whole && trace->n_user + trace->n_kernel) {
		count_frames(top, trace);
		return;
	}
	text_clear(&top->name);
	if (whole)
		name_sample(top, trace);
	bool unnamed = !top->name.len;
	if (unnamed)
		text_add_string(&top->name, whole ? "[unknown]" : "[no stack]");
	count(top, find_row(top, "", unnamed), trace->sample->weight, true);
}

/* ---- another dump ---------------------------------------------------------------------------- */

void top_begin_side(void *state)
{
	struct top *top = state;

	for (size_t i = 0; i < top->rows.len; i++) {
		struct top_row *row = &top->rows.data[i];

		row->old_self = row->self;
		row->old_total = row->total;
		row->self = row->total = 0;
	}
}

struct top_row *top_rows(void *state, size_t *n_ret)
{
	struct top *top = state;

	*n_ret = top->rows.len;
	return top->rows.data;
}

/* ---- printing ------------------------------------------------------------------------------- */

COMPARE(compare_rows, struct top_row,
	order_of(b->self, a->self) ?: order_of(b->total, a->total) ?: strcmp(a->name, b->name)
		?: strcmp(a->object, b->object))

/* One table, in one piece. */
static size_t top_pieces(void *state)
{
	struct top *top = state;

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

static double percent(const struct top *top, uint64_t weight)
{
	double ret = top->weight ? (double)weight / (double)top->weight * 100 : 0;

	return weight < top->weight && ret > 99.9 ? 99.9 : ret; /* 100 is all of it */
}

/* "  1.5 %   123", and on a terminal a bar behind the first. */
static void add_share(struct text *text, const struct top *top, uint64_t weight, int width)
{
	double share = percent(top, weight);
	int cells = (int)(share / 100 * BAR + 0.5);

	text_printf(text, "%5.1f %% ", share);
	if (top->options.color)
		text_printf(text, "\033[7m%*s\033[27m%*s ", cells, "", BAR - cells, "");
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
		text_printf_escaped(text, "  %s", row->object);
	text_add_char(text, '\n');
}

void top_add_json_name(struct text *text, const struct top_row *row, enum top_by by)
{
	json_add_string(text, row->unnamed ? "reason" : top_noun(by), row->name);
	json_add_known(text, "object", row->object);
}

static void add_row(struct text *text, const struct top *top, const struct top_row *row, int width)
{
	add_share(text, top, row->self, width);
	if (!top_is_by_sample(top->options.top.by))
		add_share(text, top, row->total, width);
	top_add_name(text, row);
}

static void add_table(struct text *text, const struct top *top)
{
	int width = top_weight_width(top->weight), bar = top->options.color ? BAR + 1 : 0;
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
	for (size_t i = 0; i < n; i++)
		add_row(text, top, &top->rows.data[i], width);
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
		"{\"schema\":%d,\"by\":\"%s\",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64, SCHEMA,
		top_noun(top->options.top.by), top->samples, top->weight);
	text_printf(text, ",\"rows_left\":%zu,\"rows\":[", top->rows.len - n);
	for (size_t i = 0; i < n; i++) {
		const struct top_row *row = &top->rows.data[i];

		json_open(text, NULL, '{');
		top_add_json_name(text, row, top->options.top.by);
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
	if (top->options.top.redraw)
		text_add_string(text, "\033[H\033[J");
	if (top->options.top.json)
		add_json(text, top);
	else
		add_table(text, top);
}

const struct format top_format = {top_create, top_destroy, top_trace, top_pieces, top_piece};
