/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the weights of two dumps compare. Normalized, what counts are shares of each dump's weight: a
 * difference is in percentage points, and OLD's weights are scaled to NEW's sum where they stand
 * beside them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output/diff/traces.h"
#include "util/error.h"
#include "util/text.h"

struct diff {
	const struct diff_traces *traces;
	const char *files[DIFF_SIDES]; /* as given, not escaped; not owned */
	bool normalized;	       /* weights are compared as shares */
	bool old_widths;	       /* of flame graphs: OLD's weights */
	bool by_name;		       /* objects were not compared: diff_match() */
};

/* Two weights of the same thing. */
struct diff_pair {
	uint64_t old, new;
};

/* Whether shares can be compared: both sides have a weight. */
bool diff_has_shares(const struct diff_traces *traces);
/* In percent, of the weight of SIDE. */
double diff_share(const struct diff *diff, enum diff_side side, uint64_t weight);
bool diff_is_same(const struct diff *diff, struct diff_pair pair);
/* NEW less OLD, in percentage points or weight. */
double diff_difference(const struct diff *diff, struct diff_pair pair);
/*
 * OLD's weight as it stands beside NEW's: normalized times NEW's sum by OLD's, rounded to the
 * nearest.
 */
uint64_t diff_scaled(const struct diff *diff, uint64_t old);
/* Adds the difference with its sign: "+1.25 %", "-12". */
void diff_add_difference(struct text *text, const struct diff *diff, struct diff_pair pair);

/* What weights are known to be of. */
enum diff_weight { DIFF_UNKNOWN, DIFF_SAMPLES, DIFF_BYTES, DIFF_NANOSECONDS, DIFF_MICROSECONDS };

/* By the name of their field, as "value.total_ns". */
enum diff_weight diff_weight_of(const char *name);
/* WEIGHTED: by dump; else each sample has 1. The error: weights that mean different things. */
struct error *diff_check_weights(
	const struct diff_traces *traces, const bool weighted[DIFF_SIDES]) must_check;
