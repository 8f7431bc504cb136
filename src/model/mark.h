/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of short names: "#" and 8 letters or digits, a hash of the whole name. They distinguish a
 * function from others of its short name in an object, whatever else is printed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/object_names.h"
#include "util/arena.h"

/* Offsets in a name, [start, end). Both are 0 without a mark. */
struct mark {
	size_t start, end;
};

/* Finds the mark of the short NAME: at its end, or before a suffix of the compiler (".isra.0"). */
struct mark mark_find(const char *name);

/* A name in an output. */
struct marked_name {
	const char *name;
	const char *whole;  /* of a function; NULL: NAME is */
	struct mark mark;   /* in NAME */
	uint32_t number;    /* of its object; 0: unknown */
	const char *object; /* set by names_distinguish() */
};

/*
 * Makes N NAMES of one output different, but no more: names their objects, and removes the marks of
 * those that differ from all others of their object without them. Replaces those of others by the
 * shortest part of the whole name that no other has, in braces, if there is one of at most 40
 * bytes: "f<…>{int}".
 */
void names_distinguish(
	struct marked_name *names, size_t n, struct object_names *objects, struct arena *memory);
