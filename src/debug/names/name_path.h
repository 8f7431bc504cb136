/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of a function in its symbol: `foo::bar`, without what short names may leave out
 * (arguments, types, template arguments, ABI tags), read from the mangled form (Itanium C++ ABI,
 * "Mangling"; grammar in 5.1), which takes a twentieth of demangling it. Functions with one short
 * name have one path; the converse is not so.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What name_path() gives for names that it cannot read: they have to be demangled. */
enum { NAME_PATH_UNKNOWN = 0 };

/*
 * A hash of the path of NAME, LEN bytes: a mangled C++ name without what compilers append to it, or
 * a C name, whose path is itself. Reads nothing behind LEN, nests 64 deep at most. Never
 * NAME_PATH_UNKNOWN for C names.
 */
uint64_t name_path(const char *name, size_t len);
