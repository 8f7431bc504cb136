/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes escape sequences (of colours, for instance) from a line of a log, as they may be inside a
 * frame, and cuts the line where no frame can continue: at control bytes, at double quotes, and
 * between quotes (as in JSON) at backslashes with what they escape.
 */
#pragma once

#include <stdbool.h>

#include "util/arena.h"
#include "util/scan.h"

/*
 * Returns LINE without escape sequences and with blanks for no-break spaces, allocated in MEMORY.
 * Sets POSITIONS_RET to the position in LINE of each of its bytes. If LINE has neither, returns
 * LINE itself and sets POSITIONS_RET to NULL.
 */
struct scan line_plain(struct scan line, struct arena *memory, const char ***positions_ret);

/* To begin, set REST to the whole line, and the other fields to zero. */
struct line_parts {
	struct scan rest;
	bool quoted; /* REST begins between quotes */
};

/*
 * Reads the next part, which may be empty, and whether it is between quotes. Returns false at the
 * end.
 */
bool line_parts_next(struct line_parts *parts, struct scan *ret, bool *quoted_ret);
