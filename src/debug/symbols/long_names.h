/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts names in answers to the length limit (model/name_limit.h). The names in a file may overlap,
 * so a few megabytes of strings can contain many thousands of long names. Only a limited part of
 * each is read.
 */
#pragma once

#include <stdbool.h>

#include "debug/debug.h"
#include "util/arena.h"

/* Longer names, in bytes, are rejected. */
#define LONG_NAME_MAX (256 << 10)

/*
 * Cuts the names of FRAME; copies are in ARENA. Returns false if one is longer than LONG_NAME_MAX.
 */
bool long_names_cut_frame(struct frame *frame, struct arena *arena);
/* Returns true if a name of ANSWER must be cut. */
bool long_names_in(const struct debug_answer *answer);
/*
 * Cuts the names of N answers, whose frames must be the caller's own. Skips numbered ones, which
 * have no long names. Answers with a name longer than LONG_NAME_MAX become FRAME_FILE_BROKEN.
 */
void long_names_cut(struct debug_answer *answers, size_t n, struct arena *arena);
