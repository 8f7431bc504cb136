/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects that addresses of a batch lie in, each with its debug info and with what is wanted of
 * it: from locations without names to locations with them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/source_text.h"
#include "health/code_functions.h"
#include "health/walks.h"
#include "model/frame.h"
#include "object/object_cache.h"
#include "resolve/options.h"
#include "util/vec.h"

/* An address that a batch wants to have named, and where the name goes. */
struct want {
	uint64_t
		address; /* ELF address to look up: one less than the location's for a caller. First, to sort by it */
	bool exact;
	bool walked; /* frame pointers were to lead from it to its caller */
	struct location *location;
};

/* An object with its debug info and what is wanted of it. */
struct target {
	struct object *object;
	struct debug *debug; /* NULL until the first want */
	struct VEC(struct want) wants;
	struct walks walks;
	struct code_functions functions; /* those that were asked for */
};

/* A frame that waits for its source's text. */
struct sourced {
	struct frame *frame;
	struct source_file *file;
};

/* Zero-filled but for the first four is empty. */
struct targets {
	const struct symbolize_options *options;
	enum name_style names;	 /* of functions, in objects from now on */
	bool lines;		 /* frames get file and line, in objects from now on */
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	uint64_t last_names;	 /* as in struct location, given so far */
	struct debug_folders *folders;
	struct arena *arena;		 /* where frames go */
	struct VEC(struct target *) all; /* by object number; entries may be NULL */
	struct VEC(uint64_t) addresses;	 /* scratch, as the answers */
	struct VEC(struct debug_answer) answers;
	struct source_texts sources;
	struct VEC(struct sourced) sourced; /* of the current batch */
};

void targets_deinit(struct targets *targets);
/* Whether there are so many sources that targets_drop() should be called. */
bool targets_are_full(const struct targets *targets);
/*
 * Between batches: forgets the sources, and the targets of objects that object_cache_choose()
 * chose. Then these must be dropped, so that the others have their new numbers.
 */
void targets_drop(struct targets *targets, const struct object_cache *objects);
/* That of OBJECT, made when first asked for. Owned by TARGETS. */
struct target *target_of(struct targets *targets, struct object *object);
/* Its debug info, opened when first asked for. Owned by TARGET. */
struct debug *target_debug(struct targets *targets, struct target *target);
/*
 * Names all that is wanted. Every debug file that is not here is asked for before the first object
 * is resolved, and an object waits for its own only.
 */
void targets_resolve(struct targets *targets);
