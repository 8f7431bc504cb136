/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols in code that name no function: assemblers, linkers and compilers leave them. */
#pragma once

#include <stddef.h>

enum marker {
	MARKER_NONE,   /* may be a function */
	MARKER_INSIDE, /* a label within a function */
	MARKER_BORDER, /* a border between functions */
};

/* Returns what an untyped symbol with the name NAME, which has LEN bytes, marks. */
enum marker marker_of(const char *name, size_t len);
