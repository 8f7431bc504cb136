/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds single frames of folded stacks, without the ';' after them. Names are made safe, so that a
 * line splits into the same frames again: at its last blank into stack and count, at each ';' into
 * frames. flamegraph.pl and inferno take a second number before the count as the other half of a
 * differential profile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

/*
 * Adds the first frame, which names the process of SAMPLE. Returns false, and adds nothing, if
 * there is none.
 */
bool folded_frame_add_prefix(
	struct text *text, enum output_prefix prefix, const struct sample *sample);
/* Adds FRAME of LOCATION. KERNEL: it is in the kernel stack. */
void folded_frame_add(struct text *text, const struct location *location, const struct frame *frame,
	bool kernel, const struct output_options *options);

/*
 * Adds LEN bytes of S. Strips blanks at both ends, replaces ';' by ':', and escapes like
 * text_add_escaped(). Adds nothing if there are only blanks.
 */
void folded_name_add_part(struct text *text, const char *s, size_t len);
/*
 * Ends the frame whose parts were added to TEXT from START on. An empty frame becomes "[unknown]".
 * The blank before a last word that looks like a number (digits and dots) becomes '_'.
 */
void folded_name_end(struct text *text, size_t start);
