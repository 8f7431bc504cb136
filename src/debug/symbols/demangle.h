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
 * A C++ name without its arguments, its return type and what compilers append (".isra.0"); else as
 * demangle(). NULL for Rust and D too.
 */
char *demangle_plain(const char *name);
/* True for names of Rust, as they are in the file. */
bool demangle_is_rust(const char *name);
/*
 * Whether a function may be operator() of a lambda, by its name in the symbol table, which ends in
 * "UlvE_clEv" or "$_0clEv" (Itanium C++ ABI, "Closure types"), or if it has none by that in DWARF.
 * NULL: unknown.
 */
bool demangle_may_be_closure(const char *linkage, const char *name);
/*
 * Whether it is a lambda by what GCC calls the parameter that it is called for. NULL: it has no
 * name.
 */
bool demangle_is_closure_parameter(const char *name);
/*
 * As demangle(), also of PLT stubs ("NAME@plt"), made once and kept in KNOWN and STRINGS:
 * zero-filled at first, then always the same two. NULL: it has none.
 */
const char *demangled_name(struct table *known, struct arena *strings, const char *name);
