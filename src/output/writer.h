/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing of text. Where there is much of it, several threads make it. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "util/text.h"

enum { WRITER_BYTES = 1 << 19 }; /* worth a write */

/* The errno, 0: none. */
int writer_write(FILE *file, const struct text *text);

/* Text in N pieces; MAKE adds piece I to TEXT, in any order and on several threads at once. */
struct pieces {
	size_t n;
	void (*make)(const void *context, size_t i, struct text *text);
	const void *context;
};

/* Writes the pieces in their order, up to the first write that fails: the errno, 0: none. */
int writer_pieces(FILE *file, const struct pieces *pieces);
