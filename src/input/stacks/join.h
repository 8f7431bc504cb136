/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins rows of counts with the stacks of the stack maps, which gives samples. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/batch.h"
#include "input/counts/count_map.h"
#include "input/input.h"
#include "input/lists/addresses.h"
#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "input/row.h"
#include "input/stacks/stack_index.h"
#include "model/stack.h"
#include "util/log.h"

/*
 * The order in which counts and stacks were dumped; unknown for several files on the command line.
 */
enum missing_order { MISSING_ORDER_UNKNOWN, MISSING_COUNTS_FIRST, MISSING_STACKS_FIRST };

/* Returns the remedy for the IDs of one side, which were counted in VOTES. */
const char *missing_fix(const struct stack_votes *votes, enum missing_order order);

/* What is known about the stack IDs of some counts, by side of the ID. */
struct join_ids {
	/* remedies for IDs in no stack map: constants, or NULL for that of its state */
	const char *fix[SIDE_COUNT];
	const struct stack_store *preferred[SIDE_COUNT]; /* NULL: none */
};

/*
 * Looks up the current stack of ID in maps of the running kernel. SIDE limits the search to one
 * side; SIDE_UNKNOWN means either. Sets RET, allocated in MEMORY, if the result is STACK_FOUND.
 */
struct join_live {
	enum stack_found (*find)(void *context, const struct address_halves *halves, uint32_t id,
		enum address_side side, struct arena *memory, struct stack *ret);
	void *context;
};

struct join {
	const struct input_options *options;
	struct log *log;
	const struct stack_index *index;
	struct join_live live; /* used instead of the index unless `find` is NULL */
	struct join_ids ids;   /* of the current counts; may be zero-filled */
	char *weight_name;     /* field of the weights, the first one seen; samples point to it */
	struct batch *batch;
	struct role_overrides *overrides;
	const struct layout *key_layout, *value_layout; /* --key-layout, --value-layout; or NULL */
	bool key_layout_met, value_layout_met;		/* the layout fitted some map */

	bool pids_are_threads; /* some pid of the current counts turned out to be a thread ID */
	bool monotonic;	       /* event times are of CLOCK_MONOTONIC, not of perf's own clock */
	bool early;	       /* events without a time may be older than this run */

	uint64_t states[STACK_STATE_COUNT]; /* number of stacks of the samples, by state */
	struct explained_join *tally;	    /* for the current map; NULL: not counted */
	uint64_t found_in;   /* bit mask of the stack maps, by index, that gave a stack */
	uint64_t unjoined;   /* samples left out: they have stack IDs, but there is no stack map */
	uint64_t pending;    /* samples left out: weight 0 */
	uint64_t negative;   /* samples left out: negative weight */
	char *unjoined_name; /* name of the first map or table with such samples */
	char *unfitting;     /* why a given layout did not fit, for the first map it did not fit */
	struct error *unmet; /* error for the first map without a field that --key names */
};

void join_deinit(struct join *join);

/*
 * Returns the sample that ROW describes. Its stacks are in the batch's memory or in the stack maps,
 * its strings in the batch's memory. A sample with weight 0 gets no stacks.
 */
struct sample join_sample(struct join *join, const struct row *row, const struct roles *roles);
/* Sets SAMPLE's process and thread. Sets pids_are_threads if the pid in ROW is a thread ID. */
void join_set_process(
	struct join *join, const struct row *row, const struct roles *roles, struct sample *sample);
/* Sets SAMPLE's time to TIME of its event (ns; 0: unknown), unless a field has already set it. */
void join_set_time(const struct join *join, uint64_t time, struct sample *sample);
/*
 * Adds SAMPLE to the batch and counts it. Leaves it out if its weight is 0 or negative, or if there
 * is no stack map for its IDs. NAME is the map or table it comes from.
 */
struct error *join_add(struct join *join, const struct sample *sample, const char *name) must_check;
/* Counts SAMPLE as unjoined and returns true if it has stack IDs and there is no stack map. */
bool join_lacks_stacks(struct join *join, const struct sample *sample, const char *name);
/* Adds the stack STORED of a stack map as a sample of weight 1, unless it is empty. */
struct error *join_stored(struct join *join, const struct stack_store *store,
	const struct stored_stack *stored) must_check;
/*
 * Logs the losses since the last report, and resets their counters. Lost stacks are logged as
 * details only, because the output reports their weight and remedy.
 */
void join_report(struct join *join);
