/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of Go functions without their package path: "http.(*conn).serve" for
 * "net/http.(*conn).serve". Two functions of a program never share one: the path stays if there are
 * both crypto/rand.Read and math/rand.Read, or if the program's table does not list the name.
 */
#pragma once

#include <stdbool.h>

#include "debug/go/gopclntab.h"
#include "debug/names/function_names.h"

struct go_names {
	bool read;
	struct function_names functions; /* `path` is a hash of the name without its package path */
};

void go_names_deinit(struct go_names *names);
/*
 * Returns the part of NAME to show, a function of the program with the table GO (NULL: none).
 * Returns NULL if all of NAME is to be shown.
 */
const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name);
