/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds words that occur in lines with frames or with facts about frames (frame_text.h). Most text
 * has none of them, so all are searched for at once, in steps of 16 bytes.
 */
#pragma once

/* Returns the position of the first word, or of a byte within it. NULL if there is none. */
const char *hints_find(const char *at, const char *end);
