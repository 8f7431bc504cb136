/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that looks like what it is where Unicode is drawn: a name that turns the direction of writing, or
 * holds what nobody sees, could look like another one.
 */
#pragma once

#include <stddef.h>

#include "util/text.h"

/*
 * Adds LEN bytes of S, valid UTF-8 without control characters, with characters that have no shape or change
 * the direction as \uHHHH, or \UHHHHHHHH: the default-ignorable ones of Unicode 15 that are not variation
 * selectors, bidirectional controls, and line and paragraph separators.
 */
void shown_text_add(struct text *text, const char *s, size_t len);
