/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the names printed for functions if whole names are too long (--names): short or plain.
 * Two functions of an object with different whole names never get the same. The function's
 * arguments, or a hash of its whole name (short_name_add_mark()), are appended if the object has
 * another symbol that would get the same name. The same applies if the function itself is not among
 * the symbols: it was inlined everywhere, and others of that name may be too. The result does not
 * depend on what else is resolved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/go/gopclntab.h"
#include "model/frame.h"
#include "object/elf_image.h"
#include "util/vec.h"

struct shown_names;

/*
 * Creates the names for the functions of IMAGE and of FILE, which has further symbols (NULL: none).
 * Both must outlive the result. Reads nothing yet.
 */
struct shown_names *shown_names_create(
	const struct elf_image *image, const struct elf_image *file, enum name_style style);
void shown_names_destroy(struct shown_names *names);
/* Returns the memory of the names shown so far, in bytes. */
size_t shown_names_bytes(const struct shown_names *names);
/*
 * Returns the name to show for the function LINKAGE, its name in the symbol table, which demangles
 * to DEMANGLED; lives as long as NAMES. Returns NULL if the whole name is to be shown (demangled,
 * if it is mangled).
 */
const char *shown_name(struct shown_names *names, const char *linkage, const char *demangled);
/*
 * Does the same for NAME, of an inlined function without linkage name in debug info. Returns NULL
 * if NAME is not too long. If anything is left out, a mark is appended, because other functions of
 * the same short name are not known.
 */
const char *shown_bare_name(struct shown_names *names, const char *name);
/*
 * Returns true if NAME, of a function without linkage name in debug info, is also shown for another
 * function.
 */
bool shown_names_has_another(struct shown_names *names, const char *name);
/*
 * Returns true if WORD is a name by which the function LINKAGE (its name, if it has no linkage
 * name) may be shown: short or plain, with or without qualifier.
 */
bool shown_name_is(const char *linkage, const char *word);

/*
 * The names of all functions of an object, by path, to find other functions that would get the same
 * short name. All names are read, whichever functions are asked about, so that the answer is the
 * same in every run. Those in symbol tables are by name_path.h; Go's by their table.
 */
struct function_name {
	uint64_t path;	  /* hash by name_path(); NAME_PATH_UNKNOWN sorts first */
	const char *name; /* as in the file; lives as long as the image */
};

struct function_names VEC(struct function_name); /* sorted by path */

/* Longer names, in bytes, are left out. */
enum { FUNCTION_NAME_MAX = 4096 };

/*
 * Returns the length of a symbol's NAME in bytes, without compiler suffixes (".isra.0") and "@plt".
 */
size_t function_name_base(const char *name);

/*
 * Names of Go functions without their package path: "http.(*conn).serve" for
 * "net/http.(*conn).serve". Two functions of a program never share one: the path stays if there are
 * both crypto/rand.Read and math/rand.Read, or if the program's table does not list the name.
 */
struct go_names {
	bool read;
	struct function_names functions; /* `path` is a hash of the name without its package path */
};

/*
 * Returns the part of NAME to show, a function of the program with the table GO (NULL: none).
 * Returns NULL if all of NAME is to be shown.
 */
const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name);
