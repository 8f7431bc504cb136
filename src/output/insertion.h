/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is inserted for a frame that a text shows without name or line:
 *
 *	suffix   ./a.out(+0x1139) [0x55…] (get cache.h:7, inlined in load main.c:31)
 *	replace  get (cache.h:7), inlined in load (main.c:31)
 *	lines    get (cache.h:7) (inlined)
 *	         ./a.out(+0x1139) [0x55…] (load main.c:31)
 *
 * A name that may belong to another build is followed by ` ?`. Control bytes are escaped.
 */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

/* X(NAME, word, help): how names are inserted. */
#define INSERTIONS(X)                                                                              \
	X(SUFFIX, suffix, "default: after the frame")                                              \
	X(REPLACE, replace, "in place of the frame")                                               \
	X(LINES, lines, "as suffix, and a line for each inlined function")

enum insertion {
#define X(name, word, help) INSERT_##name,
	INSERTIONS(X)
#undef X
};

/* A frame of the text. */
struct insertion_frame {
	const struct location *location;
	bool named;    /* the text already has the function's name */
	bool doubtful; /* the name is uncertain, whatever LOCATION says */
};

/* Returns true if FRAME has a name or line that the text lacks. */
bool insertion_is_useful(const struct insertion_frame *frame);
/* Adds what is inserted after the frame, with a blank in front, or what replaces it. */
void insertion_add(struct text *text, enum insertion how, const struct insertion_frame *frame,
	const struct output_options *options);
/*
 * For INSERT_LINES: adds the line of LOCATION's frame I, which is inlined, without its newline.
 */
void insertion_add_line(struct text *text, const struct insertion_frame *frame, size_t i,
	const struct output_options *options);
