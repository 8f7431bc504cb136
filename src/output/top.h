/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of what has the most weight. The self weight of a row is that of the samples whose
 * innermost frame is in it: the self weights of all rows add up to the weight of all samples. The
 * total weight is that of the samples with the row anywhere in the stack, each counted once.
 */
#pragma once

#include "model/mark.h"
#include "output/format.h"

struct top_row {
	const char *name;   /* escaped; valid as long as the state */
	const char *object; /* not escaped; "": unknown, or not part of the row */
	uint32_t identity;  /* number of the object, from 1; 0: unknown */
	uint64_t self, total, samples;
	uint64_t old_self, old_total;	  /* weights before top_begin_side() */
	double self_change, total_change; /* for differences: of the weights, without sign */
	uint64_t last;			  /* number of the last sample that was counted */
	struct mark mark;		  /* in NAME */
	const char *whole;		  /* whole name of the function; NULL: the same as NAME */
	bool unnamed;			  /* NAME is a reason, or a placeholder for a name */
};

/* Returns the word of --by for rows. */
const char *top_noun(enum top_by by);
/* Returns true if each sample belongs to exactly one row, so that a row has only one weight. */
bool top_is_by_sample(enum top_by by);

/*
 * For differences: makes what STATE, of top_format, has counted the old dump. The new one follows.
 */
void top_begin_side(void *state);
/* Names the rows and returns them. STATE owns them; the caller may sort them. Call once. */
struct top_row *top_rows(void *state, size_t *n_ret);

/* Returns how many of N rows are printed. */
size_t top_shown_rows(const struct top_options *options, size_t n);
enum { TOP_WIDTH_MIN = 6 };
/* Returns the number of columns for weights up to WEIGHT. */
int top_weight_width(uint64_t weight);
/* Adds a bar for SHARE, in percent, in the colour of the terminal's attribute COLOR. */
void top_add_bar(struct text *text, int color, double share);
enum { TOP_BAR = 10 };
/* Adds the last column and ends the line. */
void top_add_name(struct text *text, const struct top_row *row);
void top_add_json_name(struct text *text, const struct top_row *row, enum top_by by);
