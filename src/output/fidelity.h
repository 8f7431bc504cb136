/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line for people: how much of the input became named stacks. Shares of stacks are by the
 * weight of samples, shares of frames by the weight of samples times their frames. Each share has
 * its heaviest reason and a remedy. The number of other reasons follows.
 */
#pragma once

#include <stdbool.h>

#include "output/summary.h"
#include "util/text.h"

/*
 * Depth that a kernel records unless kernel.perf_event_max_stack was raised, in frames, and its
 * size in a stack map, in bytes. RECORDS: the entries are build-ID records, not addresses.
 */
enum { FIDELITY_USUAL_DEPTH = 127 };
#define FIDELITY_DEPTH_SIZE(records) (FIDELITY_USUAL_DEPTH * ((records) ? 32 : 8))

struct fidelity_options {
	bool weighted; /* the dump has counts */
	bool hint;     /* say that --why prints the other reasons */
};

/*
 * Adds "487 samples: 2.1 % lost a stack (hash collision: …), 37 % of frames unnamed (…)" for
 * the round of SUMMARY, or nothing if nothing was lost, cut or unnamed. Escapes text from outside.
 */
void fidelity_add(
	struct text *text, const struct summary *summary, const struct fidelity_options *options);
/* Ends a list of N objects, of which one was added: " and 2 more]". */
void fidelity_end_objects(struct text *text, size_t n);
/* Adds PART of WHOLE as "2.1 %". Adds 100 % only if ALL, and never 0 %. */
void fidelity_add_share(struct text *text, double part, double whole, bool all);
/* Returns true if there were samples, but no frame has a name. */
bool fidelity_failed(const struct summary *summary);
