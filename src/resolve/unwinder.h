/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From snapshots to stacks: the processes and objects that src/unwind asks for. */
#pragma once

#include "model/stack.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "unwind/rule_cache.h"
#include "util/arena.h"

/* Zero-filled but for PLACES and TARGETS. */
struct unwinder {
	struct places *places;
	struct targets *targets;
	struct rule_cache rules;
	struct arena memory; /* of the stacks of a batch */
};

/* A batch begins; FORGOTTEN: objects have been dropped since the last one. */
void unwinder_begin(struct unwinder *unwinder, bool forgotten);
/* Makes SAMPLE's user stack of its snapshot; it is good until the next batch. */
void unwinder_run(struct unwinder *unwinder, struct sample *sample);
void unwinder_deinit(struct unwinder *unwinder);
