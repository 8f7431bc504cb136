/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function symbols of .symtab and .dynsym by address. A symbol names nothing beyond its size, nor
 * beyond its section.
 *
 * Of several names for one address and size the answer is: global before weak before local, then
 * the one with fewer leading underscores, then the shorter, then .symtab before .dynsym, then the
 * first in the table. Assembly code without sizes (untyped or size 0) is named up to the next
 * symbol. Inside a sized symbol an exported label names the address where it is, a local one
 * nothing. What only marks a border between functions (arch/marker.h) is no answer; among all
 * symbols it has the name "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "object/elf_image.h"

struct symbol {
	uint64_t start, end; /* ELF addresses, [start, end) */
	const char *name;    /* as in the file, lives as long as its image */
	const char *file;    /* source file of a local symbol, no directory; NULL: unknown */
	enum frame_source source;
	bool sized;	/* END is by its size, not by the next symbol or the section's end */
	bool local;	/* STB_LOCAL: a static function */
	uint32_t order; /* position in the tables */
	uint32_t unit;	/* of a local symbol: the index of its STT_FILE symbol; 0: unknown */
};

struct symtab;

/*
 * The symbols of IMAGE and of its DEBUG file (NULL: none); both must outlive the result. Nothing is
 * read yet. Broken entries are skipped, so nothing here fails.
 */
struct symtab *symtab_create(const struct elf_image *image, const struct elf_image *debug);
void symtab_destroy(struct symtab *symtab);
/*
 * Gets ready for symtab_find() of these addresses, sorted ascending, and of no others. A few are
 * answered by one sweep over the tables, without sorting them. Symbols found before are gone.
 */
void symtab_want(struct symtab *symtab, const uint64_t *addresses, size_t n);
/* The symbol that covers ADDRESS, NULL if none does. */
const struct symbol *symtab_find(const struct symtab *symtab, uint64_t address);
/* True if the files have no symbols at all; to be asked after symtab_want(). */
bool symtab_empty(const struct symtab *symtab);
/*
 * True if a symbol called NAME starts at START; ".llvm.123", which kallsyms may drop, may follow.
 * Any address may be looked up from here on.
 */
bool symtab_has(struct symtab *symtab, uint64_t start, const char *name);
/* All symbols, by start. Any address may be looked up from here on. */
const struct symbol *symtab_symbols(struct symtab *symtab, size_t *n_ret);
