/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the traces of two dumps for comparison. Equal traces are kept once, with the sum of their
 * weights. What they point to is copied, since traces are valid only for a short time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

enum diff_side { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

struct diff_sum {
	uint64_t samples, weight;
	const char *weight_name; /* field of the weights; NULL: unknown, or several */
};

/* A location of either side. */
struct diff_location {
	struct location location; /* its strings are interned: equal ones have the same address */
	struct frame_object object;
	unsigned int sides; /* bits: 1 << enum diff_side */
	struct frame frames[];
};

struct recent_location {
	uint64_t key; /* serial * 2 + side; 0: unused */
	uint32_t number;
};

/* The process of a trace, and what is wrong with its stacks. */
struct trace_head {
	const char *comm;
	int64_t pid, tid;
	unsigned int user_kinds, kernel_kinds;
};

struct kept_trace {
	uint64_t weight;
	/* varints: head, number of user locations, user and kernel locations */
	const uint8_t *codes;
	size_t len;
};

struct kept_side {
	struct table numbers;		      /* codes → number */
	struct VEC(struct kept_trace) traces; /* by number */
	struct diff_sum sum;
};

struct diff_traces {
	struct kept_side sides[DIFF_SIDES];
	struct VEC(struct diff_location *) locations; /* in order of appearance */
	struct VEC(struct trace_head) heads;
	struct table strings, head_numbers, location_numbers;
	struct arena memory;
	struct recent_location *recent; /* cache, by serial */
	struct VEC(uint32_t) line;	/* scratch */
	struct text key;		/* scratch */
};

struct diff_traces *diff_traces_create(void);
void diff_traces_destroy(struct diff_traces *traces);
/* Adds TRACE. All traces of one side must come from the same symbolizer. */
void diff_traces_add(struct diff_traces *traces, enum diff_side side, const struct trace *trace);
/*
 * Calls EACH, the trace() of a format, which prints nothing, for every trace of SIDE. TEXT is NULL.
 */
void diff_traces_each(const struct diff_traces *traces, enum diff_side side,
	void (*each)(void *state, const struct trace *trace, struct text *text), void *state);

/*
 * Returns a copy of S that lives as long as TRACES, the same one for equal strings. NULL for NULL.
 */
const char *diff_traces_string(struct diff_traces *traces, const char *s);
