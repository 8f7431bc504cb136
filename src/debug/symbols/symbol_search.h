/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds symbols of a symtab by name, without an index. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/symbols/symtab.h"

/* The form of a symbol's name to compare. */
enum symbol_form {
	SYMBOL_AS_IN_FILE,
	SYMBOL_DEMANGLED,
	SYMBOL_SHORT, /* short or plain (names/shown_names.h) */
	SYMBOL_CLONE, /* with a suffix for copies (.isra.0, .constprop.1) */
};
enum { SYMBOL_FORMS = SYMBOL_CLONE + 1 };

/* Calls FOUND with each symbol whose name is NAME in the form FORM, in order of addresses. */
void symbol_search_each(struct symtab *symtab, const char *name, enum symbol_form form,
	void (*found)(void *context, const struct symbol *symbol), void *context);
/*
 * Returns the symbol NAME, as in the file; NULL if there is none, or if it has several addresses.
 */
const struct symbol *symbol_search_only(struct symtab *symtab, const char *name);
/* Returns the start of the first symbol after START; UINT64_MAX if there is none. */
uint64_t symbol_search_next(struct symtab *symtab, uint64_t start);
/*
 * Returns the symbol at I/N (I < N) of all symbols in order of addresses, NULL if there are none.
 */
const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n);

/*
 * The following compare the symbol at an address with the function that DWARF has there. NAME is
 * the function's name in DWARF, ENTRY the ELF address of its entry in DWARF.
 */

/*
 * Returns true if SYMBOL is a part of the function placed elsewhere ("f.cold"): offsets in it are
 * not offsets in the function. Suffixes with which linkers make local names unique do not count.
 */
bool symbol_is_part(const struct symbol *symbol, const char *name, uint64_t entry);
/* Returns true if SYMBOL is the mangled name of the C++ function, or a clone of it. */
bool symbol_is_mangled(const struct symbol *symbol, const char *name, uint64_t entry);
