/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of single frames of a folded stack, without the ';' after them. Names are made safe, so
 * that the line splits back into the frames that made it: at its last blank into stack and count,
 * at each ';' into frames. flamegraph.pl and inferno take a second number before the count for the
 * other half of a differential profile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

/* Adds the frame that stacks of SAMPLE begin with. False: none, nothing was added. */
bool folded_frame_add_prefix(
	struct text *text, enum output_prefix prefix, const struct sample *sample);
/* Adds FRAME, one of LOCATION's, which stands in a user or a KERNEL stack. */
void folded_frame_add(struct text *text, const struct location *location, const struct frame *frame,
	bool kernel, const struct output_options *options);

/*
 * Adds LEN bytes of S without the blanks at its edges, with ';' as ':' and with every byte that
 * text_add_escaped() escapes as \xHH. Adds nothing when only blanks are there.
 */
void folded_name_add_part(struct text *text, const char *s, size_t len);
/*
 * Ends the frame whose parts were added to TEXT from START on: nothing becomes "[unknown]", and
 * the blank before a last word that reads as a number (digits and dots) becomes '_'.
 */
void folded_name_end(struct text *text, size_t start);
