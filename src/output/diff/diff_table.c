// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the differences between two dumps (options->diff): a table with the largest differences of
 * self weight first, as text or JSON, or all stacks with both weights, like difffolded.pl.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "model/stack.h"
#include "output/diff/diff.h"
#include "output/top.h"
#include "util/json_text.h"
#include "util/vec.h"
#include "util/sort.h"
#include "util/xalloc.h"

enum { SCHEMA = 1, NUMBER = TOP_WIDTH_MIN };

struct diff_table {
	struct output_options options;
	const struct diff *diff;
	void *top;
	struct top_row *rows;
	size_t n; /* number of rows; those whose self or total weight differs come first */
	size_t n_differ;
	struct diff_pair unnamed; /* self weights without a name */
	double change;		  /* sum of the absolute differences of self weight */
};

static void *table_create(const struct output_options *options)
{
	struct diff_table *table = xnew(table);

	table->options = *options;
	table->diff = options->diff;
	table->top = top_format.create(options);
	return table;
}

static void table_destroy(void *state)
{
	struct diff_table *table = state;

	top_format.destroy(table->top);
	free(table);
}

/* Does nothing: the traces are in options->diff. */
static void table_trace(void *state, const struct trace *trace, struct text *text)
{
	(void)state;
	(void)trace;
	(void)text;
}

static struct diff_pair self_of(const struct top_row *row)
{
	return (struct diff_pair){row->old_self, row->self};
}

static struct diff_pair total_of(const struct top_row *row)
{
	return (struct diff_pair){row->old_total, row->total};
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_sides(struct diff_table *table)
{
	diff_traces_each(table->diff->traces, DIFF_OLD, top_format.trace, table->top);
	top_begin_side(table->top);
	diff_traces_each(table->diff->traces, DIFF_NEW, top_format.trace, table->top);
	table->rows = top_rows(table->top, &table->n);
}

COMPARE(compare_rows, struct top_row,
	order_of(b->self_change, a->self_change) ?: order_of(b->total_change, a->total_change)
		?: strcmp(a->name, b->name) ?: strcmp(a->object, b->object))

static size_t table_pieces(void *state)
{
	struct diff_table *table = state;
	const struct diff *diff = table->diff;

	count_sides(table);
	array_each(row, table->rows, table->n) {
		row->self_change = fabs(diff_difference(diff, self_of(row)));
		row->total_change = fabs(diff_difference(diff, total_of(row)));
		table->change += row->self_change;
		if (row->unnamed) {
			weight_add(&table->unnamed.old, row->old_self);
			weight_add(&table->unnamed.new, row->self);
		}
	}
	if (table->n)
		qsort(table->rows, table->n, sizeof(*table->rows), compare_rows);
	while (table->n_differ < table->n &&
		(!diff_is_same(diff, self_of(&table->rows[table->n_differ])) ||
			!diff_is_same(diff, total_of(&table->rows[table->n_differ]))))
		table->n_differ++;
	return 1;
}

static double share_of_change(const struct diff_table *table, const struct top_row *row)
{
	return table->change > 0 ? row->self_change / table->change * 100 : 0;
}

/* Returns "new" or "gone" if only one dump has the row, else "". */
static const char *come_or_gone(const struct top_row *row)
{
	if (!row->old_total && row->total)
		return "new";
	return row->old_total && !row->total ? "gone" : "";
}

/* ---- text ----------------------------------------------------------------------------------- */

static void add_cell(struct text *text, const struct diff_table *table, enum diff_side side,
	uint64_t weight, int width)
{
	text_printf(text, "%6.2f %% %*" PRIu64 "  ", diff_share(table->diff, side, weight), width,
		weight);
}

static void add_aligned(struct text *text, const struct diff_table *table, struct diff_pair pair)
{
	struct text number = {};

	diff_add_difference(&number, table->diff, pair);
	text_printf(text, "%*s  ", NUMBER + 5, number.data);
	text_deinit(&number);
}

static void add_row(
	struct text *text, const struct diff_table *table, const struct top_row *row, int width)
{
	double share = share_of_change(table, row);

	add_cell(text, table, DIFF_OLD, row->old_self, width);
	add_cell(text, table, DIFF_NEW, row->self, width);
	add_aligned(text, table, self_of(row));
	text_printf(text, "%7.1f %%  ", share);
	if (table->options.color)
		top_add_bar(text, diff_difference(table->diff, self_of(row)) > 0 ? 41 : 44, share);
	if (!top_is_by_sample(table->options.top.by))
		add_aligned(text, table, total_of(row));
	text_printf(text, "%-4s  ", come_or_gone(row));
	top_add_name(text, row);
}

static void add_head(struct text *text, const struct diff_table *table)
{
	const struct diff *diff = table->diff;
	const struct diff_pair *unnamed = &table->unnamed;

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_sum *sum = &diff->traces->sides[side].sum;

		text_printf_escaped(text, "%s: %s, %" PRIu64 " sample%s, weight ",
			side == DIFF_OLD ? "old" : "new", diff->files[side], sum->samples,
			sum->samples == 1 ? "" : "s");
		if (sum->weight_name)
			text_printf_escaped(text, "(%s) ", sum->weight_name);
		text_printf(text, "%" PRIu64 "\n", sum->weight);
	}
	text_add_string(text,
		diff->normalized ? "normalized: shares are compared (--weights=absolute: weights)\n"
				 : "absolute: weights are compared\n");
	if (diff->by_name)
		text_add_string(text,
			"objects are not compared: functions with the same name share a row\n");
	/* a function that only one side names looks new or gone */
	if (unnamed->old || unnamed->new)
		text_printf(text, "without a name: %.2f %% of old, %.2f %% of new\n",
			diff_share(diff, DIFF_OLD, unnamed->old),
			diff_share(diff, DIFF_NEW, unnamed->new));
}

/* Adds the rows from FIRST on, which are not printed, as one row. */
static void add_rest(struct text *text, const struct diff_table *table, size_t first, int width)
{
	int gap = (table->options.color ? TOP_BAR + 1 : 0) + 6 +
		  (top_is_by_sample(table->options.top.by) ? 0 : NUMBER + 7);
	struct diff_pair rest = {};
	double share = 0;

	for (size_t i = first; i < table->n_differ; i++) {
		weight_add(&rest.old, table->rows[i].old_self);
		weight_add(&rest.new, table->rows[i].self);
		share += share_of_change(table, &table->rows[i]);
	}
	add_cell(text, table, DIFF_OLD, rest.old, width);
	add_cell(text, table, DIFF_NEW, rest.new, width);
	add_aligned(text, table, rest);
	text_printf(text, "%7.1f %%  %*s%zu more\n", share, gap, "", table->n_differ - first);
}

static void add_table(struct text *text, const struct diff_table *table)
{
	int bar = table->options.color ? TOP_BAR + 1 : 0;
	bool whole = top_is_by_sample(table->options.top.by);
	uint64_t old = table->diff->traces->sides[DIFF_OLD].sum.weight;
	uint64_t new = table->diff->traces->sides[DIFF_NEW].sum.weight;
	int width = top_weight_width(old > new ? old : new);
	size_t n = top_shown_rows(&table->options.top, table->n_differ);

	add_head(text, table);
	if (!table->n_differ) {
		text_add_string(text, "no difference\n");
		return;
	}
	text_printf(text, "%*s  %*s  %*s  %9s  %*s", 9 + width, whole ? "old" : "old self",
		9 + width, whole ? "new" : "new self", NUMBER + 5, "difference", "of change", bar,
		"");
	if (!whole)
		text_printf(text, "%*s  ", NUMBER + 5, "in total");
	text_printf(text, "      %s\n", top_noun(table->options.top.by));
	array_each(row, table->rows, n)
		add_row(text, table, row, width);
	if (n < table->n_differ)
		add_rest(text, table, n, width);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_number(struct text *text, const char *key, double number)
{
	json_add_key(text, key);
	text_printf(text, "%.9g", number);
}

static void add_json_difference(
	struct text *text, const struct diff *diff, const char *key, struct diff_pair pair)
{
	if (diff->normalized) {
		add_number(text, key, diff_difference(diff, pair));
		return;
	}
	json_add_key(text, key);
	text_printf(text, "%s%" PRIu64, pair.new < pair.old ? "-" : "",
		pair.new < pair.old ? pair.old - pair.new : pair.new - pair.old);
}

static void add_json_row(
	struct text *text, const struct diff_table *table, const struct top_row *row)
{
	bool whole = top_is_by_sample(table->options.top.by);
	const struct diff *diff = table->diff;

	json_open(text, NULL, '{');
	top_add_json_name(text, row, table->options.top.by);
	json_add_unsigned(text, whole ? "old" : "old_self", row->old_self);
	json_add_unsigned(text, whole ? "new" : "new_self", row->self);
	add_json_difference(text, diff, whole ? "difference" : "self_difference", self_of(row));
	add_number(text, "share_of_change", share_of_change(table, row));
	if (!whole) {
		json_add_unsigned(text, "old_total", row->old_total);
		json_add_unsigned(text, "new_total", row->total);
		add_json_difference(text, diff, "total_difference", total_of(row));
	}
	if (*come_or_gone(row))
		json_add_string(text, "only_in", row->total ? "new" : "old");
	text_add_char(text, '}');
}

static void add_json(struct text *text, const struct diff_table *table)
{
	const struct diff *diff = table->diff;
	const uint64_t unnamed[] = {table->unnamed.old, table->unnamed.new};
	size_t n = top_shown_rows(&table->options.top, table->n_differ);

	text_printf(text, "{\"schema\":%d", SCHEMA);
	json_add_string(text, "by", top_noun(table->options.top.by));
	json_add_string(text, "weights", diff->normalized ? "normalized" : "absolute");
	json_add_bool(text, "objects_compared", !diff->by_name);
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_sum *sum = &diff->traces->sides[side].sum;

		json_open(text, side == DIFF_OLD ? "old" : "new", '{');
		json_add_string(text, "file", diff->files[side]);
		json_add_unsigned(text, "samples", sum->samples);
		json_add_unsigned(text, "weight", sum->weight);
		json_add_unsigned(text, "unnamed", unnamed[side]);
		if (sum->weight_name)
			json_add_string(text, "weight_name", sum->weight_name);
		text_add_char(text, '}');
	}
	json_add_unsigned(text, "rows_left", table->n_differ - n);
	json_add_unsigned(text, "rows_same", table->n - table->n_differ);
	json_open(text, "rows", '[');
	array_each(row, table->rows, n)
		add_json_row(text, table, row);
	text_add_string(text, "]}\n");
}

static void table_piece(const void *state, size_t i, struct text *text)
{
	const struct diff_table *table = state;

	(void)i;
	if (table->options.top.json)
		add_json(text, table);
	else
		add_table(text, table);
}

const struct format diff_table_format = {
	table_create, table_destroy, table_trace, table_pieces, table_piece};

/* ---- folded --------------------------------------------------------------------------------- */

static void *folded_create(const struct output_options *options)
{
	struct output_options by_stack = *options;

	by_stack.top.by = TOP_BY_STACK;
	return table_create(&by_stack);
}

COMPARE(compare_names, struct top_row, strcmp(a->name, b->name))

/* Each row is a piece, in the order of folded output. */
static size_t folded_pieces(void *state)
{
	struct diff_table *table = state;

	count_sides(table);
	if (table->n)
		qsort(table->rows, table->n, sizeof(*table->rows), compare_names);
	return table->n;
}

static void folded_piece(const void *state, size_t i, struct text *text)
{
	const struct diff_table *table = state;
	const struct top_row *row = &table->rows[i];

	text_add_string(text, row->unnamed ? "[no stack]" : row->name);
	text_printf(text, " %" PRIu64 " %" PRIu64 "\n", diff_scaled(table->diff, row->old_self),
		row->self);
}

const struct format diff_folded_format = {
	folded_create, table_destroy, table_trace, folded_pieces, folded_piece};
