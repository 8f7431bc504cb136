/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was lost, by object and reason: the table that --why prints and the summary on stderr. The
 * table counts every location it is shown once, whatever the sample weighs: weights may be
 * microseconds or bytes. Beside it stand the sums by weight, of which output/fidelity.h makes a
 * line.
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

/* What was lost for one reason in one object. Strings are the summary's. */
struct loss {
	char *object; /* escaped */
	struct build_id build_id;
	enum frame_status status; /* NAMED: only GAP is lost */
	enum frame_gap gap;
	enum stack_state lost; /* status LOST; ABSENT: a sample had no stack at all */
	int32_t lost_error;
	const char *fix;       /* location_fix() */
	char *not_fetched;     /* escaped; NULL: debuginfod has no part in it */
	const char *fetch_fix; /* NULL: nothing would help there */
	uint64_t frames;
	double weight; /* of the frames' samples, a sample once for each frame; of this round */
};

/* Frames of user or kernel stacks; weights as in struct loss. */
struct summary_side {
	double weight, unnamed_weight;
	uint64_t named, unnamed; /* not weighted */
};

/* Of the samples since summary_begin_round(). */
struct summary_round {
	uint64_t samples, weight; /* the sum stays at UINT64_MAX when it would be larger */
	uint64_t lossy;		  /* samples that lack a stack that was lost, or all stacks */
	double lossy_weight;
	struct summary_side user, kernel; /* without lost stacks */
	uint64_t cut;			  /* samples with a stack that fills all of its slots */
	double cut_weight;
	size_t cut_depth; /* slots of the deepest of these, 0: there is none */
	bool cut_records; /* build-ID records are among them */
	double unwound_weight[UNWOUND_END_COUNT]; /* of snapshots, by why no caller follows */
	uint64_t unwound_short; /* snapshots that did not come to the outermost frame */
	size_t copied_max;	/* bytes of the largest copy that was too short */
	char *weight_name;	/* the field that weights are of; NULL: unknown, or none */
	bool weights_differ;	/* they are of several fields */
};

/* The loss that a location is, by its serial. */
struct recent_loss {
	uint64_t key; /* 0: none */
	size_t index; /* in `losses` */
};

/*
 * The loss of a location without object, by all that such losses differ in: of a process that is
 * gone no two frames are equal, and all are one loss.
 */
struct bare_loss {
	bool known, kernel;
	enum location_kind kind;
	enum frame_status status;
	enum frame_gap gap;
	enum stack_state lost;
	int32_t lost_error;
	const char *fix;
	size_t index; /* in `losses` */
};

struct summary {
	uint64_t resolved;		/* locations with a name, not weighted */
	uint64_t unresolved;		/* those without, and stacks that were lost; not weighted */
	struct VEC(struct loss) losses; /* the rows of the table, in order of appearance */
	struct summary_round round;
	/* To find a loss again. */
	struct table by_key;	    /* loss_key() -> index in `losses` */
	struct recent_loss *recent; /* by key */
	struct bare_loss bare;	    /* the last one */
	struct text key;	    /* scratch */
};

struct summary *summary_create(void);
void summary_destroy(struct summary *summary);
/* Counts all locations of TRACE. */
void summary_count(struct summary *summary, const struct trace *trace);
/* Counts only its stacks: frames are named elsewhere, later. */
void summary_count_stacks(struct summary *summary, const struct trace *trace);
/* Begins the sums by weight anew; the table goes on. */
void summary_begin_round(struct summary *summary);
/* Begins the table anew; what it counted stays in `unresolved`. */
void summary_begin_table(struct summary *summary);
/*
 * One line a pair of object and reason, most frames lost first: object, build ID, frames lost,
 * reason, what would fix it. The first line names the columns; 100 pairs are printed, the others
 * added up in a last line. LINE_PREFIX comes before each ("stack2line: " on stderr).
 * Prints nothing when nothing was lost. Text from outside is escaped.
 */
void summary_print(const struct summary *summary, FILE *file, const char *line_prefix);
