/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinguishes functions of one object that have the same name: static functions of several source
 * files, or of one file that was compiled several times. Reads the symbol table, which has all of
 * them whether they were asked for or not, so the qualifiers are the same in every run.
 *
 * Local function symbols of one unit (after the same STT_FILE symbol) are one function if their
 * names differ only in compiler suffixes (.isra.0, .cold). A global function keeps its plain name.
 */
#pragma once

#include <stdbool.h>

#include "debug/symbols/symtab.h"
#include "object/elf_image.h"
#include "util/arena.h"
#include "util/vec.h"

/* A function: all symbols of a unit with one name. */
struct same_name {
	uint64_t hash;	       /* of its name without compiler suffixes */
	uint32_t unit;	       /* index of the STT_FILE symbol; 0: none */
	uint64_t start;	       /* ELF address; the lowest of its symbols */
	uint32_t section;      /* section index */
	const char *file;      /* of the unit, from its STT_FILE symbol; NULL: unknown */
	const char *qualifier; /* NULL until asked for */
};

/*
 * Local symbols, read when first needed: those of DEBUG (NULL: none), or of IMAGE if DEBUG has
 * none. Both must outlive it. The caller sets the first three fields.
 */
struct ambiguous_names {
	const struct elf_image *image, *debug;
	struct entry_points *points; /* owned; NULL if symbol values are addresses of code */
	bool whole;		     /* all names were looked for, not only SINGLES */
	/* hashes of names looked for one by one; for more, reading all names is faster */
	uint64_t singles[8];
	size_t n_singles;
	/* sorted by hash, unit, start */
	struct VEC(struct same_name) all; /* owned */
};

/*
 * Returns the source file, by DWARF, of frame I (SIZE_MAX: the outermost) at an ELF address; NULL
 * if unknown.
 */
struct frame_files {
	const char *(*at)(void *context, uint64_t address, size_t i);
	void *context;
};

/* Returns true if several functions are called NAME (as in the symbol table). */
bool ambiguous_names_repeat(struct ambiguous_names *ambiguous, const char *name);
/*
 * Returns the qualifier that distinguishes the function NAME (as in the symbol table) from others
 * of that name: "(file.c)", its file or unit; or "@0x1139", its address, if the files are the same.
 * Returns NULL if it needs none. SYMBOL is the function's own; NULL for an inlined function, which
 * FILE identifies (NULL: unknown). FILES (NULL: DWARF is not read, and addresses distinguish the
 * functions) may read DWARF at other addresses of the object. The string is in ARENA.
 */
const char *ambiguous_names_qualifier(struct ambiguous_names *ambiguous, const char *name,
	const struct symbol *symbol, const char *file, const struct frame_files *files,
	struct arena *arena);
