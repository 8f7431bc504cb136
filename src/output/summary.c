// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/build_id.h"
#include "output/label.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/xalloc.h"

/* Rows that are printed: more than anybody reads, and a limit for hostile dumps. */
enum { ROWS_MAX = 100 };
/* Rows that are kept. Further losses are summed up by reason. */
enum { LOSSES_MAX = 1 << 14 };
/* entries of the cache of losses */
enum { RECENT = 8192 };

enum summary_column {
	COLUMN_OBJECT,
	COLUMN_BUILD_ID,
	COLUMN_FRAMES,
	COLUMN_REASON,
	COLUMN_FIX,
	COLUMNS
};

static const char *const headings[COLUMNS] = {"object", "build ID", "frames lost", "reason", "fix"};

/* A cell wider than this does not widen its column. */
static const size_t width_max[COLUMNS] = {60, 2 * BUILD_ID_BPF_LEN, 20, 56, 0};

struct summary *summary_create(void)
{
	struct summary *summary = xnew(summary);

	summary->recent = xcalloc(RECENT, sizeof(*summary->recent));
	return summary;
}

void summary_begin_table(struct summary *summary)
{
	vec_free_each(&summary->losses, object);
	vec_free_each(&summary->losses, not_fetched);
	summary->losses.len = 0;
	table_clear(&summary->by_key);
	memset(summary->recent, 0, RECENT * sizeof(*summary->recent));
	summary->bare = 0;
}

void summary_destroy(struct summary *summary)
{
	if (!summary)
		return;
	summary_begin_table(summary);
	free(summary->round.weight_name);
	vec_deinit(&summary->losses);
	table_deinit(&summary->by_key);
	text_deinit(&summary->key);
	free(summary->recent);
	free(summary);
}

static const char *object_text(const struct location *location, bool kernel)
{
	if (location->kind == LOCATION_LOST && location->lost == STACK_ABSENT)
		return "samples";
	if (location->kind == LOCATION_LOST)
		return kernel ? "kernel stacks" : "user stacks";
	if (location->object && location->object->path && *location->object->path)
		return location->object->path;
	if (label_object(location))
		return label_object(location);
	return kernel ? "[kernel]" : "-";
}

/* Sets KEY, which is equal for locations of the same row: object, build ID, reason. */
static void loss_key(struct text *key, const struct location *location, const char *object)
{
	const uint32_t reason[] = {
		location->status, location->gap, location->lost, (uint32_t)location->lost_error};
	bool lost = location->kind == LOCATION_LOST;

	text_clear(key);
	text_add(key, (const char *)reason, lost ? sizeof(reason) : 2 * sizeof(reason[0]));
	text_add_string(key, location_fix(location));
	if (!lost && location->object)
		text_add(key, (const char *)&location->object->build_id,
			1 + (size_t)location->object->build_id.len);
	text_add_string(key, object);
}

static char *escaped(const char *s)
{
	struct text text = {};

	text_add_escaped_string(&text, s);
	return text_take(&text);
}

/* Returns the index of LOCATION's loss, and adds it if it is new. */
static size_t find_loss(struct summary *summary, const struct location *location, bool kernel)
{
	const char *name = object_text(location, kernel);
	const struct frame_object *object = location->object;

	loss_key(&summary->key, location, name);
	if (summary->losses.len >= LOSSES_MAX &&
		!table_find(&summary->by_key, summary->key.data, summary->key.len)) {
		struct location rest = *location;

		rest.object = object = NULL;
		name = "(others)";
		loss_key(&summary->key, &rest, name);
	}
	uint64_t number = table_number(&summary->by_key, summary->key.data, summary->key.len);
	if (number <= summary->losses.len)
		return number - 1;
	struct loss *loss = vec_add(&summary->losses);
	*loss = (struct loss){.object = escaped(name),
		.status = location->status,
		.gap = location->gap,
		.lost = location->lost,
		.lost_error = location->lost_error,
		.fix = location_fix(location)};
	if (!object)
		return number - 1;
	loss->build_id = object->build_id;
	/* why debuginfod did not deliver, if debug info or the program could have given the name */
	bool other_gap = loss->status == FRAME_NAMED && loss->gap < GAP_DWZ;
	if (object->not_fetched && !other_gap && loss->status != FRAME_OUTSIDE_SEGMENTS) {
		loss->not_fetched = escaped(object->not_fetched);
		loss->fetch_fix = object->fetch_fix;
	}
	return number - 1;
}

static void count_loss(
	struct summary *summary, const struct location *location, bool kernel, double weight)
{
	uint64_t key = location->serial * 2 + kernel;
	struct recent_loss *recent = &summary->recent[key % RECENT];
	size_t index = recent->index;

	if (!location->object) {
		/*
		 * Locations of a process that exited are all different, but are one loss, mostly
		 * that of the last one.
		 */
		const struct loss *last =
			summary->bare ? &summary->losses.data[summary->bare - 1] : NULL;

		if (!last || summary->bare_kernel != kernel || last->status != location->status ||
			last->gap != location->gap || last->lost != location->lost ||
			last->lost_error != location->lost_error || last->fix != location->fix ||
			summary->losses.len >= LOSSES_MAX)
			summary->bare = find_loss(summary, location, kernel) + 1;
		summary->bare_kernel = kernel;
		index = summary->bare - 1;
	} else if (!location->serial || recent->key != key) {
		index = find_loss(summary, location, kernel);
		*recent = (struct recent_loss){key, index};
	}
	struct loss *loss = &summary->losses.data[index];
	loss->frames++;
	loss->weight += weight;
}

/*
 * Returns true if no location lacks anything. A fast path: this runs for every frame, and most
 * stacks are whole.
 */
static bool are_whole(const struct location *const *locations, size_t n)
{
	unsigned int lacks = 0;

	_Static_assert(FRAME_NAMED == 0, "the status of a frame that lacks nothing");
	array_each(location, locations, n)
		lacks |= (unsigned int)(*location)->status | (unsigned int)(*location)->gap;
	return !lacks;
}

/*
 * Counts the locations of one side. Returns true if its stack was lost. ELSEWHERE: no frame counts
 * as unresolved.
 */
static bool count_side(
	struct summary *summary, const struct trace *trace, bool kernel, bool elsewhere)
{
	const struct location *const *locations = kernel ? trace->kernel : trace->user;
	size_t n = kernel ? trace->n_kernel : trace->n_user;
	double weight = (double)trace->sample->weight;
	struct summary_side *side = kernel ? &summary->round.kernel : &summary->round.user;
	size_t unnamed = 0, lost = 0;

	if (elsewhere && n && locations[0]->kind != LOCATION_LOST) {
		side->named += n;
		return false;
	}
	if (are_whole(locations, n)) {
		summary->resolved += n;
		side->named += n;
		side->weight += weight * (double)n;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		const struct location *location = locations[i];
		bool named = location->status == FRAME_NAMED;

		summary->resolved += named;
		if (named && !location->gap)
			continue;
		summary->unresolved += !named && !elsewhere;
		lost += location->kind == LOCATION_LOST;
		unnamed += !named && location->kind != LOCATION_LOST;
		count_loss(summary, location, kernel, weight);
	}
	side->named += n - unnamed - lost;
	side->unnamed += unnamed;
	side->weight += weight * (double)(n - lost);
	side->unnamed_weight += weight * (double)unnamed;
	return lost > 0;
}

static bool count_cut(struct summary_round *round, const struct stack *stack)
{
	if (stack->state != STACK_PRESENT || !stack->truncated || stack->unwound)
		return false;
	if (stack->depth > round->cut_depth)
		round->cut_depth = stack->depth;
	round->cut_records |= stack->origins != NULL;
	return true;
}

void summary_count(struct summary *summary, const struct trace *trace, bool elsewhere)
{
	static const struct location none = {.kind = LOCATION_LOST, .status = FRAME_LOST};
	const struct sample *sample = trace->sample;
	const struct unwound *unwound = sample->user.unwound;
	struct summary_round *round = &summary->round;
	double weight = (double)sample->weight;
	bool lost = count_side(summary, trace, false, elsewhere);

	lost |= count_side(summary, trace, true, elsewhere);
	if (!trace->n_user && !trace->n_kernel) {
		count_loss(summary, &none, false, weight);
		lost = true;
	}
	if (!round->samples && sample->weight_name)
		round->weight_name = xstrdup(sample->weight_name);
	else if (!round->weight_name != !sample->weight_name ||
		 (round->weight_name && strcmp(round->weight_name, sample->weight_name) != 0))
		round->weights_differ = true;
	round->samples++;
	weight_add(&round->weight, sample->weight);
	if (lost) {
		round->lossy++;
		round->lossy_weight += weight;
	}
	if (unwound && unwound->end != UNWOUND_OUTERMOST) {
		round->unwound_short++;
		round->unwound_weight[unwound->end] += weight;
		if (unwound->end == UNWOUND_COPY_ENDED && unwound->copied > round->copied_max)
			round->copied_max = unwound->copied;
	}
	bool user_cut = count_cut(round, &sample->user);
	if (count_cut(round, &sample->kernel) || user_cut) {
		round->cut++;
		round->cut_weight += weight;
	}
}

void summary_count_lines(struct summary *summary, const struct location *location)
{
	struct location lacking = *location;

	lacking.gap = lacking.gap ?: GAP_ABSENT;
	count_loss(summary, &lacking, location->kind == LOCATION_KERNEL, 1);
}

void summary_begin_round(struct summary *summary)
{
	free(summary->round.weight_name);
	summary->round = (struct summary_round){};
	vec_each(losse, &summary->losses)
		losse->weight = 0;
}

COMPARE(compare_losses, struct loss *, order_of((*b)->frames, (*a)->frames) ?: order_of(*a, *b))

/* Adds what would help. If the build ID is known, says where a missing debug file belongs. */
static void add_fix(struct text *text, const struct loss *loss)
{
	bool stripped = loss->status == FRAME_NO_SYMBOLS || loss->status == FRAME_OUTSIDE_SYMBOLS ||
			loss->gap == GAP_ABSENT;
	const char *fix = loss->gap ? frame_gap_words[loss->gap].fix : loss->fix;

	if (loss->fetch_fix) {
		text_add_string(text, loss->fetch_fix);
	} else if (stripped && *fix && loss->build_id.len > 1) {
		const struct build_id_hex hex = build_id_hex(&loss->build_id);
		text_printf(text,
			"install its debug package, or use --debug-dir=DIR with "
			"DIR/.build-id/%.2s/%s.debug",
			hex.digits, hex.digits + 2);
	} else {
		text_add_string(text, fix);
	}
}

static void add_cell(struct text *text, const struct loss *loss, enum summary_column column)
{
	switch (column) {
	case COLUMN_OBJECT:
		text_add_string(text, loss->object);
		break;
	case COLUMN_BUILD_ID:
		text_add_string(
			text, loss->build_id.len ? build_id_hex(&loss->build_id).digits : "-");
		break;
	case COLUMN_FRAMES:
		text_add_decimal(text, loss->frames);
		break;
	case COLUMN_REASON:
		if (loss->gap)
			text_add_string(text, frame_gap_words[loss->gap].text);
		else
			label_add_reason(text, loss->status, loss->lost, loss->lost_error);
		if (loss->not_fetched)
			text_printf(text, "; debuginfod: %s", loss->not_fetched);
		break;
	case COLUMN_FIX:
	case COLUMNS:
		add_fix(text, loss);
	}
}

/*
 * Prints LOSS, or the headings if it is NULL. Aligns numbers to the right, and strips trailing
 * blanks.
 */
static void print_row(
	FILE *file, const char *line_prefix, const struct loss *loss, const size_t widths[COLUMNS])
{
	auto_text struct text cell = {};
	auto_text struct text line = {};

	for (size_t column = 0; column < COLUMNS; column++) {
		text_clear(&cell);
		if (loss)
			add_cell(&cell, loss, column);
		else
			text_add_string(&cell, headings[column]);
		size_t width = text_columns(cell.data, cell.len);
		int blanks = widths[column] > width ? (int)(widths[column] - width) : 0;
		if (column == COLUMN_FRAMES)
			text_printf(&line, "%*s", blanks, "");
		text_add(&line, cell.data, cell.len);
		text_printf(&line, "%*s", column == COLUMN_FRAMES ? 2 : blanks + 2, "");
	}
	while (line.len && line.data[line.len - 1] == ' ')
		line.len--;
	fprintf(file, "%s%.*s\n", line_prefix, (int)line.len, line.data);
}

void summary_print(const struct summary *summary, FILE *file, const char *line_prefix)
{
	struct VEC(const struct loss *) sorted = {};
	auto_text struct text cell = {};
	size_t widths[COLUMNS];
	uint64_t frames = 0;

	if (!summary->losses.len)
		return;
	vec_each(loss, &summary->losses)
		vec_push(&sorted, loss);
	vec_sort(&sorted, compare_losses);
	size_t shown = sorted.len < ROWS_MAX ? sorted.len : ROWS_MAX;
	for (size_t column = 0; column < COLUMNS; column++) {
		widths[column] = strlen(headings[column]);
		array_each(loss, sorted.data, shown) {
			text_clear(&cell);
			add_cell(&cell, *loss, column);
			size_t width = text_columns(cell.data, cell.len);
			if (width > widths[column] && width <= width_max[column])
				widths[column] = width;
		}
	}
	print_row(file, line_prefix, NULL, widths);
	array_each(loss, sorted.data, shown)
		print_row(file, line_prefix, *loss, widths);
	for (size_t i = shown; i < sorted.len; i++)
		frames += sorted.data[i]->frames;
	if (shown < sorted.len)
		fprintf(file, "%sand %zu more, %" PRIu64 " frame%s lost\n", line_prefix,
			sorted.len - shown, frames, frames == 1 ? "" : "s");
	vec_deinit(&sorted);
}
