/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From snapshots to stacks: the processes and objects that src/unwind asks for. */
#pragma once

#include "model/stack.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "unwind/rule_cache.h"
#include "unwind/walk.h"
#include "util/arena.h"

#define UNWINDER_RECENT 4096 /* a power of two */

/* What lies at a pc of a live process. */
struct unwound_pc {
	uint64_t pc;
	int64_t pid;
	bool exact;
	uint64_t round; /* that it was found in; 0: none */
	struct unwind_code code;
};

/* Zero-filled but for PLACES and TARGETS. */
struct unwinder {
	struct places *places;
	struct targets *targets;
	struct rule_cache rules;
	struct unwound_pc *recent; /* UNWINDER_RECENT by pc; NULL: none yet */
	uint64_t round;		   /* what is good of RECENT */
	unsigned clears;	   /* of the rules, when the round began */
	struct arena memory;	   /* of the stacks of a batch */
};

/* A batch begins; FORGOTTEN: objects have been dropped since the last one. */
void unwinder_begin(struct unwinder *unwinder, bool forgotten);
/* Makes SAMPLE's user stack of its snapshot; it is good until the next batch. */
void unwinder_run(struct unwinder *unwinder, struct sample *sample);
void unwinder_deinit(struct unwinder *unwinder);
