/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names have a length: whoever writes a perf map or a symbol table can make one of megabytes, which
 * would be printed as often as it is met. A longer one is cut, and a mark with its length and a
 * hash of all of it stands for the rest, so that names that differ stay different.
 */
#pragma once

#include <stddef.h>

#include "util/arena.h"

/* Bytes of a name, and what is kept of a longer one. C++ has names of ten thousand. */
#define NAME_LIMIT (16 << 10)
#define NAME_KEPT (4 << 10)

/* A copy in ARENA of LEN bytes, or cut: "abc...[10485760 bytes, #0123456789abcdef]". */
const char *name_limit_copy(struct arena *arena, const char *name, size_t len);
