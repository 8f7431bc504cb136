/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of the input became named stacks, as one line for people. Shares are by weight: of the
 * samples for stacks, of the samples' weight times their frames for frames. Each share has its
 * heaviest reason with the remedy; how many other reasons there are is said after them.
 */
#pragma once

#include <stdbool.h>

#include "output/summary.h"
#include "util/text.h"

/*
 * A kernel keeps this many frames unless kernel.perf_event_max_stack was raised; their size, in
 * bytes.
 */
enum { FIDELITY_USUAL_DEPTH = 127 };
#define FIDELITY_DEPTH_SIZE(records) (FIDELITY_USUAL_DEPTH * ((records) ? 32 : 8))

struct fidelity_options {
	bool weighted; /* the dump has counts */
	bool hint;     /* say that --why tells the other reasons */
};

/*
 * Adds "487 samples: 2.1 % lost a stack (hash collision: …), 37 % of frames unnamed (…)" for the
 * round of SUMMARY; nothing where nothing was lost, cut or unnamed. Text from outside is escaped.
 */
void fidelity_add(
	struct text *text, const struct summary *summary, const struct fidelity_options *options);
/* Adds "2.1 %": 100 % is said of all only, and 0 % of nothing. */
void fidelity_add_share(struct text *text, double part, double whole, bool all);
/* Whether there were samples, and not one frame of them has a name. */
bool fidelity_failed(const struct summary *summary);
