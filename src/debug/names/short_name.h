/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangled names made short, as text: nothing is looked up here. When in doubt a name stays as it
 * is.
 *
 * 	std::vector<int, std::allocator<int> >::push_back      std::vector<…>::push_back
 * 	(anonymous namespace)::f[abi:cxx11]                    (anon)::f
 * 	main::{lambda(int)#1}::operator()                      main::{lambda#1}::operator()
 * 	<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop    the same: beside "as" only what is within is folded
 * 	github.com/a/b/pkg.(*T).F                              pkg.(*T).F
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

enum short_name_form {
	SHORT_NAME_PLAIN, /* but for arguments nothing is left out */
	SHORT_NAME_CXX,
	SHORT_NAME_RUST,
};

/* Arguments of templates and generics with more bytes than this become "<…>". */
enum { SHORT_NAME_ARGUMENTS_MAX = 20 };

/*
 * Adds NAME, a function of C++ without its arguments or one of Rust, in this form. DROPPED_RET:
 * more is left out than the function's own arguments. False: its brackets do not match, nothing was
 * added.
 */
bool short_name_add(
	struct text *text, const char *name, enum short_name_form form, bool *dropped_ret);
/*
 * Adds NAME, operator() of a lambda in any form, with the line of its declaration:
 * `main::{lambda#1:27}::operator()`; Clang's `main::$_0`, which may be a structure without a name
 * too, becomes `main::{$_0:27}`. False: it is none, nothing was added.
 */
bool short_name_add_lambda(struct text *text, const char *name, uint32_t line);
/* Adds what such a NAME was made of. False: it is none, nothing was added. */
bool short_name_add_unlined(struct text *text, const char *name);
/* NAME, a function of Go, from its package's last component on: a part of NAME. */
const char *short_name_go(const char *name);
/* Adds "#" and 8 letters or digits, a hash of NAME that is the same in every run. */
void short_name_add_mark(struct text *text, const char *name);
