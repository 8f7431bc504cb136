/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangles symbol names: C++, Rust (legacy and v0, without hashes) and D. */
#pragma once

#include <stdbool.h>

/*
 * Limits for names; those beyond stay as they are. The output for a short crafted name can be
 * exponentially long, because mangled names refer back to earlier parts.
 */
enum { DEMANGLE_INPUT_MAX = 64 << 10, DEMANGLE_OUTPUT_MAX = 256 << 10, DEMANGLE_D_REFS_MAX = 24 };

/* Returns true if demangle() tries to demangle NAME, by its prefix alone. */
bool demangle_is_mangled(const char *name);
/*
 * Returns the demangled form of NAME in the style of c++filt, malloc'ed; NULL if NAME is not
 * mangled or exceeds the limits.
 */
char *demangle(const char *name);
/*
 * Returns a C++ name without its arguments, its return type and compiler suffixes (".isra.0"),
 * malloc'ed. Returns NULL like demangle(), and for Rust and D.
 */
char *demangle_plain(const char *name);
/* Returns true if NAME, as in the file, is a mangled name of Rust. */
bool demangle_is_rust(const char *name);
/*
 * Returns true if a function may be operator() of a lambda. LINKAGE is its name in the symbol
 * table, which would end in "UlvE_clEv" or "$_0clEv" (Itanium C++ ABI, "Closure types"). If LINKAGE
 * is NULL (unknown), checks NAME, its name in DWARF, which may be NULL too.
 */
bool demangle_may_be_closure(const char *linkage, const char *name);
/* Returns true if NAME (may be NULL) is what GCC calls the parameter with the lambda object. */
bool demangle_is_closure_parameter(const char *name);
