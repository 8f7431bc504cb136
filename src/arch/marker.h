/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of assemblers, linkers and compilers that are not functions. */
#pragma once

#include <stddef.h>

enum marker {
	MARKER_NONE,   /* may be a function */
	MARKER_INSIDE, /* a label within a function */
	MARKER_BORDER, /* a border between functions */
};

/* Classifies an untyped symbol by its NAME of LEN bytes. */
enum marker marker_of(const char *name, size_t len);
