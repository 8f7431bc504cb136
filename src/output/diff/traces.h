/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traces of two dumps, kept to be compared: equal ones once, with the sum of their weights. What
 * they point to is copied, as traces are valid for a moment only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

enum diff_side { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

struct diff_sum {
	uint64_t samples, weight;
	const char *weight_name; /* the field that weights are of; NULL: unknown, or several */
};

/* A location of either side. */
struct diff_location {
	struct location location; /* its strings are kept once: equal ones have one address */
	struct frame_object object;
	unsigned int sides; /* bits: 1 << enum diff_side */
	struct frame frames[];
};

struct diff_traces;

struct diff_traces *diff_traces_create(void);
void diff_traces_destroy(struct diff_traces *traces);
/* All traces of a side are of one symbolizer. */
void diff_traces_add(struct diff_traces *traces, enum diff_side side, const struct trace *trace);
const struct diff_sum *diff_traces_sum(const struct diff_traces *traces, enum diff_side side);
/* Calls EACH with every trace of SIDE, valid during the call. */
void diff_traces_each(const struct diff_traces *traces, enum diff_side side,
	void (*each)(void *context, const struct trace *trace), void *context);

/* For those who rename: all locations, in the order of their coming. */
struct diff_location *const *diff_traces_locations(const struct diff_traces *traces, size_t *n_ret);
/* A copy of S that lives as long as TRACES, always the same for the same text; NULL of NULL. */
const char *diff_traces_string(struct diff_traces *traces, const char *s);
