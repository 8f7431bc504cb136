/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two frames together tell of the caller that frame pointers lost at a leaf (health/guess.h):
 * that it was lost, and, if this is wanted, which one it is, to be put back into the trace.
 */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "resolve/resolver.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* A leaf, and the location that the walk found next. */
struct leaf_guess {
	const struct location *
		lost; /* a copy that says that its caller is missing; NULL: it says so, or is not */
	const struct location *leaf; /* a copy that says that its caller follows */
	struct location *caller;     /* NULL: there is none, or it has no name */
	uint64_t function;	     /* its ELF address */
	bool named;
};

/* Zero-filled but for RESOLVER is empty. */
struct guesser {
	struct resolver *resolver;
	struct arena memory;		       /* what `by_pair` leads to */
	struct table by_pair;		       /* serials of both → struct leaf_guess */
	struct VEC(struct leaf_guess *) fresh; /* without names yet */
	/* of the current batch */
	struct arena slots;
	struct VEC(struct guessed_trace {
		struct trace *trace;
		struct leaf_guess *guess;
	}) traces;
};

void guesser_deinit(struct guesser *guesser);
/* Begins a batch; FORGOTTEN: the places of the resolver were. */
void guesser_begin(struct guesser *guesser, bool forgotten);
/*
 * Looks whether TRACE, which was judged, lost the caller of its leaf, and says so in LEAF, its
 * first slot. It must stay where it is.
 */
void guesser_look(struct guesser *guesser, struct trace *trace, const struct location **leaf);
/* Names what was found, and puts it into the traces. */
void guesser_finish(struct guesser *guesser);
