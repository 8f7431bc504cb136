/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks of short names: "#" and 8 letters or digits, a hash of the whole name. */
#pragma once

#include <stddef.h>

#include "util/arena.h"

enum { MARK_LEN = 9 };

/*
 * Returns the offset of the mark in NAME, a frame's shown name, at its end or before a suffix of
 * the compiler (".isra.0"); 0 if it has none.
 */
size_t mark_offset(const char *name);

/* A short name, the whole one, and the offset of the mark in the former; 0: it has none. */
struct marked_name {
	const char **name;
	const char *whole; /* NULL: unknown */
	size_t mark;
};

/*
 * Removes the marks of those of N NAMES that differ from all others without them, and replaces
 * those of others by the part of the whole name that differs, in braces, if that is short:
 * "f<…>{int}".
 */
void marks_shorten(struct marked_name *names, size_t n, struct arena *memory);
