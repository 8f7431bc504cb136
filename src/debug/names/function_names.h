/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of all functions in the symbol tables of an object, by their path (name_path.h): which
 * others might have a function's short name. They are there whichever functions are asked about, so
 * that the answer is the same in every run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"
#include "util/vec.h"

struct function_name {
	uint64_t path;	  /* NAME_PATH_UNKNOWN comes first */
	const char *name; /* as in the file, lives as long as its image */
};

struct function_names {
	struct VEC(struct function_name) all; /* by path */
	bool partial;			      /* some are missing */
};

/* Names with more bytes are left out. */
enum { FUNCTION_NAME_MAX = 4096 };

/* The bytes of a symbol's name before what compilers append (".isra.0") and before "@plt". */
size_t function_name_base(const char *name);
/*
 * Adds the functions of IMAGE and of FILE (NULL: none), which has its debug info or more symbols:
 * of their .symtab, of which one is enough if the other was made of it, and of .dynsym if IMAGE has
 * no other.
 */
void function_names_read(
	const struct elf_image *image, const struct elf_image *file, struct function_names *ret);
void function_names_deinit(struct function_names *names);
/* Those of PATH; N_RET: how many. */
const struct function_name *function_names_of(
	const struct function_names *names, uint64_t path, size_t *n_ret);
