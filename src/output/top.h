/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of what takes most weight. The self weight of a row is of samples whose innermost frame
 * is in it: the self weights of all rows add up to the weight of all samples. The total weight is
 * of samples that have it anywhere, each counted once however often it is there.
 */
#pragma once

#include "output/format.h"

struct top_row {
	const char *name;   /* escaped; as long as the state */
	const char *object; /* not escaped; "": none, or NAME is all there is */
	uint64_t self, total, samples;
	uint64_t old_self, old_total; /* before top_begin_side() */
	uint64_t last;		      /* the number of the last sample that was counted */
	bool unnamed;		      /* NAME is a reason, or stands for what has no name */
};

extern const struct format top_format;

/* What --by calls the rows. */
const char *top_noun(enum top_by by);
/* Whether a sample is counted for one row, by one weight. */
bool top_is_by_sample(enum top_by by);

/*
 * For differences, of the state of top_format: what was counted is that of the old dump, now comes
 * the new one.
 */
void top_begin_side(void *state);
/* The rows, which may be sorted. */
struct top_row *top_rows(void *state, size_t *n_ret);

/* How many of N rows are printed. */
size_t top_shown_rows(const struct top_options *options, size_t n);
enum { TOP_WIDTH_MIN = 6 };
/* Columns that weights take, the largest of which is WEIGHT. */
int top_weight_width(uint64_t weight);
/* Adds the last column and ends the line. */
void top_add_name(struct text *text, const struct top_row *row);
void top_add_json_name(struct text *text, const struct top_row *row, enum top_by by);
