/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of all functions of an object, by path, to find other functions that would get the same
 * short name. All names are read, whichever functions are asked about, so that the answer is the
 * same in every run. Those in symbol tables are by name_path.h; Go's by their table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/go/gopclntab.h"
#include "object/elf_image.h"
#include "util/vec.h"

struct function_name {
	uint64_t path;	  /* hash by name_path(); NAME_PATH_UNKNOWN sorts first */
	const char *name; /* as in the file; lives as long as the image */
};

struct function_names {
	struct VEC(struct function_name) all; /* sorted by path */
	bool partial;			      /* reading was interrupted */
};

/* Longer names, in bytes, are left out. */
enum { FUNCTION_NAME_MAX = 4096 };

/*
 * Returns the length of a symbol's NAME in bytes, without compiler suffixes (".isra.0") and "@plt".
 */
size_t function_name_base(const char *name);
/*
 * Adds the functions of IMAGE and of FILE (NULL: none), the file with its debug info or more
 * symbols. Reads .symtab of both, but only that of FILE if IMAGE's was made from it by stripping;
 * and .dynsym of IMAGE if it has no .symtab.
 */
void function_names_read(
	const struct elf_image *image, const struct elf_image *file, struct function_names *ret);
void function_names_deinit(struct function_names *names);
/* Returns the names with this PATH, NULL if there are none. N_RET gets their number. */
const struct function_name *function_names_of(
	const struct function_names *names, uint64_t path, size_t *n_ret);

/*
 * Names of Go functions without their package path: "http.(*conn).serve" for
 * "net/http.(*conn).serve". Two functions of a program never share one: the path stays if there are
 * both crypto/rand.Read and math/rand.Read, or if the program's table does not list the name.
 */
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
