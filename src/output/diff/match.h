/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is the same in both dumps. Functions are known by their name and their object's; other
 * addresses than those of one build of an object are compared with nothing.
 */
#pragma once

#include <stdbool.h>

#include "output/diff/traces.h"
#include "util/text.h"

/*
 * Renames what both sides have, so that the same things have the same names, and others have not:
 *
 * - libx.so.1.2 and libx-1.3.so are libx.so, where each side has one of them only;
 * - addresses without a name are "[libx.so+0x12]" if both sides have that build of libx.so, and else
 *   all together "[unnamed in libx.so]";
 * - functions of one name that only their address tells apart are likewise "f @0x12", or "f @?" for
 *   all of them; those of a kernel always.
 *
 * Objects are taken away if HOW says so, or may: then if one side is text with names that have
 * none. Whether they were.
 */
enum diff_objects { DIFF_OBJECTS_KEEP, DIFF_OBJECTS_IF_ALL, DIFF_OBJECTS_IGNORE };
bool diff_match(struct diff_traces *traces, enum diff_objects how);
/* Adds the name of an object without its version: "libx.so" for libx.so.1.2, libx-1.3.so. */
void diff_match_add_stem(struct text *text, const char *object);
