/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in answers are as long as names may be (model/name_limit.h). Names of a file may overlap,
 * so that a few megabytes of strings are many thousands of long names: what is read of each is
 * bounded.
 */
#pragma once

#include <stdbool.h>

#include "debug/debug.h"
#include "util/arena.h"

/* Beyond this many bytes a name is none. */
#define LONG_NAME_MAX (256 << 10)

/* Cuts the names of FRAME, in ARENA. False if one is longer than LONG_NAME_MAX. */
bool long_names_cut_frame(struct frame *frame, struct arena *arena);
/* True: a name of ANSWER is too long. */
bool long_names_in(const struct debug_answer *answer);
/*
 * The same of N answers, whose frames are the caller's own; numbered ones have no long names. One
 * with a name longer than LONG_NAME_MAX becomes FRAME_FILE_BROKEN.
 */
void long_names_cut(struct debug_answer *answers, size_t n, struct arena *arena);
