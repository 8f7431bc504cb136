/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of a log cut where no frame goes on: at control bytes and escape sequences (colours), at double
 * quotes, and between quotes, where JSON stands, at backslashes with what they escape.
 */
#pragma once

#include <stdbool.h>

#include "util/scan.h"

/* Zero-filled but for REST, the whole line, is the beginning. */
struct line_parts {
	struct scan rest;
	bool quoted; /* REST begins between quotes */
};

/* The next part, which may be empty, and whether it stands between quotes. False: there is none. */
bool line_parts_next(struct line_parts *parts, struct scan *ret, bool *quoted_ret);
