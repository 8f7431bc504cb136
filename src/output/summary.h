/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts what was lost, by object and reason, for the table of --why and the summary on stderr. The
 * table counts each location once, regardless of the weight of its sample, which may be in
 * microseconds or bytes. The sums by weight are for output/fidelity.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/frame.h"
#include "model/stack.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

/* What was lost for one reason in one object. */
struct loss {
	char *object; /* escaped; owned */
	struct build_id build_id;
	enum frame_status status; /* NAMED: only GAP is missing */
	enum frame_gap gap;
	enum stack_state lost; /* for FRAME_LOST; ABSENT: the sample has no stack at all */
	int32_t lost_error;
	const char *fix;       /* location_fix() */
	char *not_fetched;     /* why debuginfod did not help, escaped; owned; NULL: not relevant */
	const char *fetch_fix; /* what would help there; NULL: nothing */
	uint64_t frames;
	double weight; /* sum of the samples' weights over all frames, in this round */
};

/* Frames of user or kernel stacks. Weights are as in struct loss. */
struct summary_side {
	double weight, unnamed_weight;
	uint64_t named, unnamed; /* number of frames */
};

/* Sums over the samples since summary_begin_round(). */
struct summary_round {
	uint64_t samples, weight; /* WEIGHT saturates */
	uint64_t lossy;		  /* samples that have lost a stack, or have none */
	double lossy_weight;
	struct summary_side user, kernel; /* without lost stacks */
	uint64_t cut;			  /* samples with a truncated stack */
	double cut_weight;
	size_t cut_depth; /* depth of the deepest of these, in frames; 0: none */
	bool cut_records; /* some of these are build-ID records */
	/* weight of snapshots that lack frames, by the reason */
	double unwound_weight[UNWOUND_END_COUNT];
	uint64_t unwound_short; /* number of snapshots that lack frames */
	size_t copied_max;	/* size of the largest copy that was too short, in bytes */
	char *weight_name;	/* field of the weights; NULL: unknown, or none */
	bool weights_differ;	/* the weights are of several fields */
};

/* Cache entry: the loss of a location, by its serial. */
struct recent_loss {
	uint64_t key; /* serial * 2 + kernel; 0: unused */
	size_t index; /* index in `losses` */
};

struct summary {
	uint64_t resolved;		/* named locations, not weighted */
	uint64_t unresolved;		/* unnamed locations and lost stacks, not weighted */
	struct VEC(struct loss) losses; /* rows of the table, in order of appearance */
	struct summary_round round;
	/* lookup of losses: */
	struct table by_key;	    /* loss_key() → index in `losses` */
	struct recent_loss *recent; /* cache, by key */
	size_t bare;		    /* number of the last loss without object; 0: none */
	bool bare_kernel;	    /* it is of a kernel stack */
	struct text key;	    /* scratch */
};

struct summary *summary_create(void);
void summary_destroy(struct summary *summary);
/*
 * Counts TRACE and all its locations. ELSEWHERE: counts only its stacks, because its frames are to
 * be named elsewhere, later.
 */
void summary_count(struct summary *summary, const struct trace *trace, bool elsewhere);
/* Counts a named LOCATION as one that has no lines. */
void summary_count_lines(struct summary *summary, const struct location *location);
/* Resets the sums by weight. Keeps the table. */
void summary_begin_round(struct summary *summary);
/* Clears the table. `unresolved` still contains what it counted. */
void summary_begin_table(struct summary *summary);
/*
 * Prints a line per object and reason, most lost frames first: object, build ID, frames lost,
 * reason, what would fix it. The first line has the headings. At most 100 rows are printed; the
 * last line sums up the others. LINE_PREFIX begins each line ("stack2line: " on stderr). Prints
 * nothing if nothing was lost. Escapes text from outside.
 */
void summary_print(const struct summary *summary, FILE *file, const char *line_prefix);
