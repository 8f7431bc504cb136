/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by name: of all that a symtab has, without an index. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/symbols/symtab.h"

/* How a symbol is called. */
enum symbol_form {
	SYMBOL_AS_IN_FILE,
	SYMBOL_DEMANGLED,
	SYMBOL_SHORT, /* short or plain (names/shown_names.h) */
	SYMBOL_CLONE, /* with what compilers append to a copy (.isra.0, .constprop.1) */
};
enum { SYMBOL_FORMS = SYMBOL_CLONE + 1 };

/* Calls FOUND with each symbol that is called NAME in the way FORM, by address. */
void symbol_search_each(struct symtab *symtab, const char *name, enum symbol_form form,
	void (*found)(void *context, const struct symbol *symbol), void *context);
/* The symbol NAME, as in the file; NULL: none, or several places have it. */
const struct symbol *symbol_search_only(struct symtab *symtab, const char *name);
/* Where the next symbol behind START begins; UINT64_MAX: nowhere. */
uint64_t symbol_search_next(struct symtab *symtab, uint64_t start);
/* The symbol that I/N of all come before, by address; NULL: there are none. */
const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n);

/*
 * How the symbol at an address and what DWARF calls the function there belong together. NAME is
 * DWARF's, ENTRY the ELF address where it says the function is entered.
 */

/*
 * Whether SYMBOL is a part of the function that stands elsewhere ("f.cold"): what counts from there
 * is no offset of the function. What a linker adds to tell local names apart makes no part.
 */
bool symbol_is_part(const struct symbol *symbol, const char *name, uint64_t entry);
/* Whether SYMBOL is the mangled name of the C++ function, or a clone of it. */
bool symbol_is_mangled(const struct symbol *symbol, const char *name, uint64_t entry);
