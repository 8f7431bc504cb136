/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes into a text where it has a frame without name or line:
 *
 *	suffix   ./a.out(+0x1139) [0x55…] (get cache.h:7, inlined in load main.c:31)
 *	replace  get (cache.h:7), inlined in load (main.c:31)
 *	lines    get (cache.h:7) (inlined)
 *	         ./a.out(+0x1139) [0x55…] (load main.c:31)
 *
 * A name that may be another build's has a ` ?` behind it. Control bytes are escaped.
 */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

/* X(NAME, word, help): how frames in texts get their names. */
#define INSERTIONS(X)                                                                              \
	X(SUFFIX, suffix, "default: behind the frame")                                             \
	X(REPLACE, replace, "in place of the frame")                                               \
	X(LINES, lines, "as suffix, and a line for each inlined function")

enum insertion {
#define X(name, word, help) INSERT_##name,
	INSERTIONS(X)
#undef X
};

/* What is known of a frame. */
struct insertion_frame {
	const struct location *location;
	bool named;    /* the text names the function already */
	bool doubtful; /* beside what LOCATION says */
};

/* Whether there is something to say that the text does not. */
bool insertion_is_useful(const struct insertion_frame *frame);
/* Adds what stands behind the frame, from the blank on, or in its place. */
void insertion_add(struct text *text, enum insertion how, const struct insertion_frame *frame,
	const struct output_options *options);
/* With INSERT_LINES: how many lines there are, and the one of number I without its newline. */
size_t insertion_lines(const struct insertion_frame *frame);
void insertion_add_line(struct text *text, const struct insertion_frame *frame, size_t i,
	const struct output_options *options);
