/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds function symbols of .symtab and .dynsym by address. A symbol names nothing beyond its size
 * or its section.
 *
 * If several symbols have the same address and size, preference is: global before weak before
 * local, then fewer leading underscores, then the shorter name, then .symtab before .dynsym, then
 * the first in the table. Labels of assembly code (untyped or of size 0) extend to the next symbol.
 * Inside a sized symbol, an exported label names only its own address, a local one nothing. Symbols
 * that only mark a border between functions (arch/marker.h) are never found; in symtab_symbols()
 * they have the name "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "object/elf_image.h"

struct symbol {
	uint64_t start, end; /* ELF addresses, [start, end) */
	const char *name;    /* as in the file; lives as long as the image */
	const char *file;    /* source file of a local symbol, without directory; NULL: unknown */
	enum frame_source source;
	bool sized;	/* END comes from its size, not from the next symbol or the section's end */
	bool local;	/* STB_LOCAL: a static function */
	uint32_t order; /* position in the tables */
	uint32_t unit;	/* index of a local symbol's STT_FILE symbol; 0: unknown */
};

struct symtab;

/*
 * Creates a table of the symbols of IMAGE and of its DEBUG file (NULL: none); both must outlive the
 * result. Reads nothing yet. Skips broken entries, so nothing here fails.
 */
struct symtab *symtab_create(const struct elf_image *image, const struct elf_image *debug);
void symtab_destroy(struct symtab *symtab);
/*
 * Prepares symtab_find() for these addresses, sorted ascending, and no others. For a few addresses,
 * makes one pass over the tables without sorting them. Invalidates symbols found before.
 */
void symtab_want(struct symtab *symtab, const uint64_t *addresses, size_t n);
/* Returns the symbol that covers ADDRESS, NULL if none does. */
const struct symbol *symtab_find(const struct symtab *symtab, uint64_t address);
/* Returns true if the files have no symbols at all. Call symtab_want() first. */
bool symtab_empty(const struct symtab *symtab);
/*
 * Returns true if a symbol called NAME starts at START. Its name may also have ".llvm.123"
 * appended, which kallsyms may drop. From then on symtab_find() accepts any address.
 */
bool symtab_has(struct symtab *symtab, uint64_t start, const char *name);
/* Returns all symbols, sorted by start. From then on symtab_find() accepts any address. */
const struct symbol *symtab_symbols(struct symtab *symtab, size_t *n_ret);
