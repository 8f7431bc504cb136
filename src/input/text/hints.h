/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words that lines have which frames stand in (frame_text.h), or what is said of these
 * (frame_context.h). Most text has none: so it is searched for all of them at once, 16 bytes
 * after 16.
 */
#pragma once

/* Where the first of the words begins, or a byte of it; NULL: there is none. */
const char *hints_find(const char *at, const char *end);
