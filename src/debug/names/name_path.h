/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the path of a function from its symbol: `foo::bar`, without the parts that short names may
 * leave out (arguments, types, template arguments, ABI tags). It is read from the mangled form
 * (Itanium C++ ABI, "Mangling"; grammar in 5.1), which is 20 times as fast as demangling. Functions
 * with the same short name have the same path; the converse is not true.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What name_path() returns for names that it cannot read, which must be demangled instead. */
enum { NAME_PATH_UNKNOWN = 0 };

/*
 * Returns a hash of the path of NAME, LEN bytes: a mangled C++ name without compiler suffixes, or a
 * C name, which is its own path. Reads nothing beyond LEN and nests at most 64 deep. Never returns
 * NAME_PATH_UNKNOWN for C names.
 */
uint64_t name_path(const char *name, size_t len);
