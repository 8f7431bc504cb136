/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol names as people wrote them: C++, Rust (legacy and v0, hashes dropped) and D. */
#pragma once

#include <stdbool.h>

#include "util/arena.h"
#include "util/table.h"

/*
 * Names beyond these bounds stay as they are: a short crafted name can grow exponentially, since
 * mangling abbreviates what came before.
 */
enum { DEMANGLE_INPUT_MAX = 64 << 10, DEMANGLE_OUTPUT_MAX = 256 << 10, DEMANGLE_D_REFS_MAX = 24 };

/* True for what demangle() would look at, by the prefix alone. */
bool demangle_is_mangled(const char *name);
/*
 * The demangled form of NAME in the style of c++filt, for the caller to free; NULL where NAME is
 * not mangled, or beyond the bounds.
 */
char *demangle(const char *name);
/*
 * The same, also of PLT stubs ("NAME@plt"), made once and kept in KNOWN and STRINGS: zero-filled at
 * first, then always the same two. NULL: it has none.
 */
const char *demangled_name(struct table *known, struct arena *strings, const char *name);
