/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making names safe for a folded line, so that the line splits back into the frames that made it:
 * at its last blank into stack and count, at each ';' into frames. flamegraph.pl and inferno take
 * a second number before the count for the other half of a differential profile.
 */
#pragma once

#include <stddef.h>

#include "util/text.h"

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
