/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the locations of a batch: each object collects its addresses and asks its debug info once.
 * JIT code is named by perf maps and jitdumps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/source_file.h"
#include "health/code.h"
#include "model/frame.h"
#include "object/object_cache.h"
#include "resolve/options.h"
#include "resolve/place.h"
#include "util/vec.h"

/* An address to name, and the location that gets the name. */
struct want {
	uint64_t
		address; /* ELF address to look up, one less than the location's for a caller; first, as the sort key */
	bool exact;
	bool walked; /* its caller was found by frame pointers */
	struct location *location;
};

/* An object with its debug info and the addresses to name in it. */
struct target {
	struct object *object;
	struct debug *debug; /* NULL until the first want */
	struct VEC(struct want) wants;
	struct object_code code; /* set together with DEBUG */
};

/* A frame that needs its source text. */
struct sourced {
	struct frame *frame;
	struct source_file *file;
};

/* Zero-filled except for the first four members is empty. */
struct targets {
	const struct symbolize_options *options;
	enum name_style names;	 /* style of `shown` for objects opened from now on */
	bool lines;		 /* find lines in objects opened from now on */
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	uint64_t last_names;	 /* last value given to `names` of a location */
	struct debug_folders *folders;
	struct arena *arena;		 /* owns frames */
	struct VEC(struct target *) all; /* by object number; entries may be NULL */
	struct VEC(uint64_t) addresses;	 /* scratch, like the answers */
	struct VEC(struct debug_answer) answers;
	struct source_texts sources;
	struct VEC(struct sourced) sourced; /* of the current batch */
};

void targets_deinit(struct targets *targets);
/* Returns true if there are too many sources: call targets_drop(). */
bool targets_are_full(const struct targets *targets);
/*
 * Forgets the sources, and the targets of objects chosen by object_cache_choose(), between batches.
 * Call object_cache_drop() next, which renumbers the other objects.
 */
void targets_drop(struct targets *targets, const struct object_cache *objects);
/* Returns the target of OBJECT, created on demand, owned by TARGETS. */
struct target *target_of(struct targets *targets, struct object *object);
/* Returns the debug info of TARGET, opened on demand, owned by it. */
struct debug *target_debug(struct targets *targets, struct target *target);
/* Returns the debug info of OBJECT. */
struct debug *target_debug_of(struct targets *targets, struct object *object);
/*
 * Names all collected addresses. Requests every missing debug file before it resolves the first
 * object; an object waits for its own files only.
 */
void targets_resolve(struct targets *targets);

/*
 * Sets LOCATION by perf map or jitdump at PLACE's address (EXACT) or one byte before, or to PLACE's
 * own location if they have no entry. A later call may find more.
 */
void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location);
/* Returns true if place_name_jit() may give another result than the last time. */
bool place_jit_changed(const struct place *place, bool exact);
