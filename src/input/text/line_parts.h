/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of a log without what may be within a frame (escape sequences, as of colours), and cut
 * where no frame goes on: at control bytes, at double quotes, and between quotes, where JSON
 * stands, at backslashes with what they escape.
 */
#pragma once

#include <stdbool.h>

#include "util/arena.h"
#include "util/scan.h"

/*
 * LINE without escape sequences, and with blanks for no-break spaces: in MEMORY, and in
 * POSITIONS_RET where each of its bytes is in LINE. If it has none of these, LINE itself and
 * NULL.
 */
struct scan line_plain(struct scan line, struct arena *memory, const char ***positions_ret);

/* Zero-filled but for REST, the whole line, is the beginning. */
struct line_parts {
	struct scan rest;
	bool quoted; /* REST begins between quotes */
};

/* The next part, which may be empty, and whether it stands between quotes. False: there is none. */
bool line_parts_next(struct line_parts *parts, struct scan *ret, bool *quoted_ret);
