/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out from two frames whether frame pointers lost the caller of a leaf (health/guess.h) and,
 * on request, which function it is, and inserts that into the trace.
 */
#pragma once

#include <stdbool.h>

#include "health/guess.h"
#include "model/frame.h"
#include "resolve/resolver.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* A leaf with the location that follows it in the stack. */
struct leaf_guess {
	struct location *leaf;	     /* copy that notes what was found; NULL: nothing */
	struct location *caller;     /* the guessed caller; NULL: none */
	struct guessed_caller found; /* what is known of that, if any */
};

/* Zero-filled but for RESOLVER is empty. */
struct guesser {
	struct resolver *resolver;
	struct arena memory;		       /* owns the values of `by_pair` */
	struct table by_pair;		       /* serials of both → struct leaf_guess */
	struct VEC(struct leaf_guess *) fresh; /* not named yet */
	/* of the current batch */
	struct arena slots;
	struct VEC(struct guessed_trace {
		struct trace *trace;
		struct leaf_guess *guess;
	}) traces;
};

void guesser_deinit(struct guesser *guesser);
/* Begins a batch. FORGOTTEN: the resolver has forgotten its places. */
void guesser_begin(struct guesser *guesser, bool forgotten);
/*
 * Checks whether TRACE, whose health is known, lost the caller of its leaf, and notes that in LEAF,
 * its first location. TRACE must not move.
 */
void guesser_look(struct guesser *guesser, struct trace *trace, const struct location **leaf);
/* Names the guessed callers and inserts them into the traces. */
void guesser_finish(struct guesser *guesser);
