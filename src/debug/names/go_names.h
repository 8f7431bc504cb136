/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of Go's functions without the path of their package: "http.(*conn).serve" for
 * "net/http.(*conn).serve". Two functions of a program never share one: where the program has both
 * crypto/rand.Read and math/rand.Read, or where its table does not list the name, the path stays.
 */
#pragma once

#include <stdbool.h>

#include "debug/go/gopclntab.h"
#include "debug/names/function_names.h"

/* Zero-filled at first. */
struct go_names {
	bool read;
	struct function_names functions; /* "path" is a hash of the name without its path */
};

void go_names_deinit(struct go_names *names);
/*
 * NAME, a function of the program with the table GO (NULL: none), as it is shown: a part of NAME.
 * NULL: whole.
 */
const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name);
