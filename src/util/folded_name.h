/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes names of frames safe for folded lines, so that a line splits into the same frames again: at
 * its last blank into stack and count, at each ';' into frames. flamegraph.pl and inferno take a
 * second number before the count as the other half of a differential profile.
 */
#pragma once

#include <stddef.h>

#include "util/text.h"

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
