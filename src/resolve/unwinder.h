/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds snapshots into stacks: provides src/unwind with processes and objects. */
#pragma once

#include "model/stack.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "unwind/walk.h"
#include "util/arena.h"

#define UNWINDER_RECENT 4096 /* a power of two */

/* The code at a pc of a live process. */
struct unwound_pc {
	uint64_t pc;
	int64_t pid;
	bool exact;
	uint64_t round; /* round in which it was found; 0: unused */
	struct unwind_code code;
};

/* Zero-filled but for PLACES and TARGETS. */
struct unwinder {
	struct places *places;
	struct targets *targets;
	struct rule_cache rules;
	struct unwound_pc *recent; /* UNWINDER_RECENT by pc; NULL: none yet */
	uint64_t round;		   /* entries of RECENT with this round are valid */
	unsigned clears;	   /* `clears` of the rules when the round began */
	struct arena memory;	   /* stacks of the current batch */
};

/* Begins a batch. FORGOTTEN: objects have been dropped since the last one. */
void unwinder_begin(struct unwinder *unwinder, bool forgotten);
/* Unwinds SAMPLE's snapshot into its user stack, valid until the next batch. */
void unwinder_run(struct unwinder *unwinder, struct sample *sample);
void unwinder_deinit(struct unwinder *unwinder);
