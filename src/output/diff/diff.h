/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the weights of two dumps. Normalized, weights count as shares of their dump's weight:
 * differences are in percentage points, and OLD's weights are scaled to the sum of NEW where both
 * are printed side by side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output/diff/traces.h"
#include "util/error.h"
#include "util/text.h"

struct diff {
	const struct diff_traces *traces;
	const char *files[DIFF_SIDES]; /* as given by the user, not escaped; not owned */
	bool normalized;	       /* weights are compared as shares */
	bool old_widths;	       /* flame graphs: widths are OLD's weights */
	bool by_name;		       /* objects are not compared, see diff_match() */
};

/* The weights of one thing in both dumps. */
struct diff_pair {
	uint64_t old, new;
};

/* Returns true if shares can be compared: both dumps have weight. */
bool diff_has_shares(const struct diff_traces *traces);
/* Returns WEIGHT in percent of the weight of SIDE. */
double diff_share(const struct diff *diff, enum diff_side side, uint64_t weight);
bool diff_is_same(const struct diff *diff, struct diff_pair pair);
/* Returns NEW minus OLD, in percentage points if normalized, else in weight. */
double diff_difference(const struct diff *diff, struct diff_pair pair);
/*
 * Returns OLD as it is printed beside NEW's weights: if normalized, scaled to NEW's sum and rounded
 * to the nearest. Saturates.
 */
uint64_t diff_scaled(const struct diff *diff, uint64_t old);
/* Adds the difference with its sign: "+1.25 %", "-12". */
void diff_add_difference(struct text *text, const struct diff *diff, struct diff_pair pair);

/*
 * Returns an error if the weights of the dumps count different things. WEIGHTED, by side: the dump
 * has weights; otherwise each sample has the weight 1.
 */
struct error *diff_check_weights(
	const struct diff_traces *traces, const bool weighted[DIFF_SIDES]) must_check;

/*
 * Renames locations of both sides, so that the same things have the same name, and different things
 * do not. Functions match by their name and that of their object:
 *
 * - libx.so.1.2 and libx-1.3.so become libx.so, if each side has only one of them;
 * - functions of one whole name get one short name, and those of different ones do not;
 * - addresses without a name become "[libx.so+0x12]" if both sides have that build of libx.so, and
 *   otherwise all become "[unnamed in libx.so]";
 * - functions of one name that differ only by address become "f @0x12" or "f @?" likewise; those of
 *   a kernel always become "f @?".
 *
 * Removes the objects of all locations if HOW is DIFF_OBJECTS_IGNORE, or if it is
 * DIFF_OBJECTS_IF_ALL and one side is text with names that have no object. Returns true if it did.
 */
enum diff_objects { DIFF_OBJECTS_KEEP, DIFF_OBJECTS_IF_ALL, DIFF_OBJECTS_IGNORE };
bool diff_match(struct diff_traces *traces, enum diff_objects how);
/* Adds the name of an object without its version: "libx.so" for libx.so.1.2 and libx-1.3.so. */
void diff_match_add_stem(struct text *text, const char *object);
