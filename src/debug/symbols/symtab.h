/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds function symbols of .symtab and .dynsym by address. A symbol names nothing beyond its size
 * or its section.
 *
 * If several symbols have the same address and size, preference is: global before weak before
 * local, then fewer leading underscores, then the shorter name, then .symtab before .dynsym, then
 * the first in the table. Labels of assembly code (untyped or of size 0) extend to the next symbol.
 * Inside a sized symbol, an exported label names only its own address, a local one nothing. Symbols
 * that only mark a border between functions (arch/arch.h) are never found; in symtab_symbols()
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

/* By name, without an index: the form of a symbol's name to compare. */
enum symbol_form {
	SYMBOL_AS_IN_FILE,
	SYMBOL_DEMANGLED,
	SYMBOL_SHORT,	/* short or plain (names/shown_names.h) */
	SYMBOL_CLONE,	/* with a suffix for copies (.isra.0, .constprop.1) */
	SYMBOL_INLINED, /* no symbol has it: see debug_find_inlined() */
};
enum { SYMBOL_FORMS = SYMBOL_CLONE + 1 };

/* Calls FOUND with each symbol whose name is NAME in the form FORM, in order of addresses. */
void symbol_search_each(struct symtab *symtab, const char *name, enum symbol_form form,
	void (*found)(void *context, const struct symbol *symbol), void *context);
/* Returns the start of the first symbol after START; UINT64_MAX if there is none. */
uint64_t symbol_search_next(struct symtab *symtab, uint64_t start);
/*
 * Returns the symbol at I/N (I < N) of all symbols in order of addresses, NULL if there are none.
 */
const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n);

/*
 * Names PLT stubs, "malloc@plt", which are in no symbol table. Each stub jumps through a slot of
 * the global offset table (GOT), and the relocation of that slot names the function.
 */

struct plt;

/*
 * Reads the stubs of IMAGE, which must outlive the result. There are none on machines whose stubs
 * are unknown. SYMTAB (may be NULL) names the stubs of IFUNCs, whose relocation has only the
 * address of the resolver and no symbol.
 */
struct plt *plt_create(const struct elf_image *image, struct symtab *symtab);
void plt_destroy(struct plt *plt);
/*
 * Returns the stub that contains ADDRESS, NULL if there is none. Its name is owned by PLT and not
 * demangled.
 */
const struct symbol *plt_find(const struct plt *plt, uint64_t address);
/* Calls FOUND with the ELF address of each stub that is printed as NAME, "f(int)@plt". */
void plt_each_named(const struct plt *plt, const char *name,
	void (*found)(void *context, uint64_t address), void *context);
