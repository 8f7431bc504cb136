/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of IDs (of processes, threads, in a PID namespace) as bytes, for the index of a recording's
 * block: the number of runs, then of each run the gap behind the one before it and its length - 1,
 * all as varints. The kernel counts IDs up, so runs are few.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

struct ids {
	struct VEC(uint32_t) all; /* in any order, with repetitions */
};

void ids_add(struct ids *ids, uint32_t id);
void ids_deinit(struct ids *ids);
/* Adds the set to TEXT, and forgets it. */
void id_set_add(struct text *text, struct ids *ids);

/* A walk through the runs of a set. */
struct id_runs {
	struct scan bytes;
	uint64_t left;	     /* runs */
	uint64_t first, end; /* IDs of the run, [first, end) */
};

/* False: not a set. BYTES is at its end then, else behind the number of runs. */
bool id_runs_begin(struct scan bytes, struct id_runs *ret);
/* False: there is no other run. */
bool id_runs_next(struct id_runs *runs);
bool id_set_has(struct scan bytes, uint64_t id);
/* Skips a set. False: it is cut, or not one. */
bool id_set_skip(struct scan *bytes);
