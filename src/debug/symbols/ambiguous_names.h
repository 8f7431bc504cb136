/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of one object that have the same name: static functions of several source files, or of
 * one file that was built several times. The symbol table knows all of them, whether they were
 * asked for or not, so what tells one from the others is the same in every run.
 *
 * Local function symbols of one unit (behind one STT_FILE symbol) with the same name, or one that
 * differs in what compilers append (.isra.0, .cold), are one function. A global function keeps its
 * plain name.
 */
#pragma once

#include <stdbool.h>

#include "debug/symbols/symtab.h"
#include "object/elf_image.h"
#include "util/arena.h"

struct ambiguous_names;

/* What DWARF says about the source file of the function at an ELF address; NULL: nothing. */
struct ambiguous_names_lines {
	const char *(*file_at)(void *context, uint64_t address);
	void *context;
};

/* The local symbols of DEBUG (NULL: none) or IMAGE, read when first asked for. */
struct ambiguous_names *ambiguous_names_create(
	const struct elf_image *image, const struct elf_image *debug);
void ambiguous_names_destroy(struct ambiguous_names *ambiguous);
/* Whether several functions are called NAME (as in the symbol table). */
bool ambiguous_names_repeat(struct ambiguous_names *ambiguous, const char *name);
/*
 * What tells the function NAME (as in the symbol table) from others of its name: "(file.c)", the
 * file or unit, or "@0x1139", its address, where that is the same; NULL if it has none. SYMBOL is
 * the function's own, NULL for an inlined one, which FILE (NULL: unknown) stands for. The string is
 * made in ARENA.
 */
const char *ambiguous_names_qualifier(struct ambiguous_names *ambiguous, const char *name,
	const struct symbol *symbol, const char *file, const struct ambiguous_names_lines *lines,
	struct arena *arena);
