/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the length of names: a perf map or a symbol table can have names of megabytes, which would
 * be printed again and again. A longer name is cut and gets a mark with its length and the hash of
 * the whole name, so that different names stay different.
 */
#pragma once

#include <stddef.h>

#include "util/arena.h"

/* Longest name, and the part kept of a longer one, in bytes. C++ has names of 10,000 bytes. */
#define NAME_LIMIT (16 << 10)
#define NAME_KEPT (4 << 10)

/*
 * Returns a copy of NAME in ARENA, cut if necessary: "abc...[10485760 bytes, #0123456789abcdef]".
 */
const char *name_limit_copy(struct arena *arena, const char *name, size_t len);
