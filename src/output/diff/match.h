/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what is the same in both dumps. Functions match by their name and that of their object.
 * Addresses match only within one build of an object.
 */
#pragma once

#include <stdbool.h>

#include "output/diff/traces.h"
#include "util/text.h"

/*
 * Renames locations of both sides, so that the same things have the same name, and different things
 * do not:
 *
 * - libx.so.1.2 and libx-1.3.so become libx.so, if each side has only one of them;
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
