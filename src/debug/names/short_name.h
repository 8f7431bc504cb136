/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortens demangled names, by their text alone. When in doubt a name stays as it is.
 *
 *     std::vector<int, std::allocator<int> >::push_back      std::vector<…>::push_back
 *     (anonymous namespace)::f[abi:cxx11]                    (anon)::f
 *     main::{lambda(int)#1}::operator()                      main::{lambda#1}::operator()
 *     <alloc::vec::Vec<T> as core::ops::drop::Drop>::drop    unchanged
 *     github.com/a/b/pkg.(*T).F                              pkg.(*T).F
 *
 * In Rust's "<X as Y>", only arguments inside X and Y are shortened.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

enum short_name_form {
	SHORT_NAME_PLAIN, /* leaves out only arguments of functions */
	SHORT_NAME_CXX,
	SHORT_NAME_RUST,
};

/* Longer arguments of templates and generics, in bytes, become "<…>". */
enum { SHORT_NAME_ARGUMENTS_MAX = 20 };

/*
 * Adds NAME in this form: a C++ function without its arguments, or a Rust function. DROPPED_RET
 * gets true if more is left out than the function's own arguments. Returns false, and adds nothing,
 * if brackets do not match.
 */
bool short_name_add(
	struct text *text, const char *name, enum short_name_form form, bool *dropped_ret);
/*
 * Adds NAME, operator() of a lambda in any form, with the line of its declaration:
 * `main::{lambda#1:27}::operator()`. Clang's `main::$_0`, which can also be an unnamed struct,
 * becomes `main::{$_0:27}`. Returns false, and adds nothing, if NAME is no such name.
 */
bool short_name_add_lambda(struct text *text, const char *name, uint32_t line);
/*
 * Removes what short_name_add_lambda() added: adds NAME without the line. Returns false, and adds
 * nothing, if NAME does not have that form.
 */
bool short_name_add_unlined(struct text *text, const char *name);
/* Returns the part of NAME, a Go function, that begins with the last component of its package. */
const char *short_name_go(const char *name);
/* Adds "#" and 8 letters or digits: a hash of NAME, the same in every run. */
void short_name_add_mark(struct text *text, const char *name);
