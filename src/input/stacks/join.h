/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a row and the stack maps to a sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/batch.h"
#include "input/counts/map.h"
#include "input/explanation.h"
#include "input/input.h"
#include "input/row.h"
#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "input/stacks/missing.h"
#include "input/stacks/stack_index.h"
#include "model/stack.h"
#include "util/log.h"

/*
 * Looks up the stack that ID means now, in maps of the running kernel, for one side or either
 * (SIDE_UNKNOWN). What RET points to is made in MEMORY; set when found.
 */
struct join_live {
	enum stack_found (*find)(void *context, const struct address_halves *halves, uint32_t id,
		enum address_side side, struct arena *memory, struct stack *ret);
	void *context;
};

/* What became of the samples of one map. */
struct join_tally {
	uint64_t samples, weight;
	struct explained_side user, kernel;
};

struct join {
	const struct input_options *options;
	struct log *log;
	const struct stack_index *index;
	struct join_live live;	/* asked instead of the index; find NULL: not */
	struct missing missing; /* of the counts that are joined; zero-filled: nothing is known */
	char *weight_name; /* the field that weights are of, the first one; samples point to it */
	struct batch *batch;
	struct role_overrides *overrides;
	const struct layout *key_layout, *value_layout; /* given, or NULL */
	bool key_layout_met, value_layout_met;		/* fitted some map */

	bool pids_are_threads; /* in what is joined now, some number called pid is that of a thread */
	bool monotonic; /* times that come with events are of CLOCK_MONOTONIC, not of perf's own clock */
	bool early; /* events without a time may be older than this run */

	uint64_t states[STACK_STATE_COUNT]; /* stacks of the samples by what became of them */
	struct join_tally *tally;	    /* of the map that is joined now; NULL: not counted */
	uint64_t found_in;   /* bits: the stack maps, by number in the index, that gave a stack */
	uint64_t unjoined;   /* not handed on: they name stack IDs, and there is no stack map */
	uint64_t pending;    /* not handed on: their weight is 0 */
	uint64_t negative;   /* not handed on: their weight is below 0 */
	char *unjoined_name; /* the first map or table they are from */
	char *unfitting;     /* why a given layout did not fit, the first time */
	struct error *unmet; /* --key names no field of a map, the first time */
};

void join_deinit(struct join *join);

/* The store preferred for each side's IDs, or NULL. */
struct join_preference {
	const struct stack_store *store[SIDE_COUNT];
};

/*
 * The sample that RECORD describes; its stacks are in the batch's memory or in the stack maps, its
 * strings in the batch's memory. One without weight gets no stacks.
 */
struct sample join_sample(struct join *join, const struct row *row, const struct roles *roles,
	const struct join_preference *preference);
/* Sets pids_are_threads if ROW shows it. */
void join_look_at_process(struct join *join, const struct row *row, const struct roles *roles);
/* Sets the time of SAMPLE to its event's (ns; 0: unknown), unless a field has already set it. */
void join_set_time(const struct join *join, uint64_t time, struct sample *sample);
/* Gives SAMPLE to the batch and counts it; leaves out those that cannot be told or weigh nothing. */
struct error *join_add(struct join *join, const struct sample *sample, const char *name) must_check;
/* Counts SAMPLE, which is not to be given yet, if it names stack IDs and there is no stack map. */
void join_check(struct join *join, const struct sample *sample, const char *name);
/* Gives a stack of a map, unless it is empty, as a sample of its own. */
struct error *join_stored(struct join *join, const struct stack_store *store,
	const struct stored_stack *stored) must_check;
/* What was lost since the last report, as details: by weight and with what would help output says it. */
void join_report(struct join *join);
