/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by name: of all that a symtab has, without an index. SYMTAB may be NULL. */
#ifndef DEBUG_SYMBOL_SEARCH_H
#define DEBUG_SYMBOL_SEARCH_H

#include "debug/symtab.h"

/*
 * The symbol called NAME, as in the file, else demangled; of several the one with the lowest
 * address. NULL: none.
 */
const struct symbol *symbol_search_any(struct symtab *symtab, const char *name);
/* The symbol NAME, as in the file; NULL: none, or several places have it. */
const struct symbol *symbol_search_only(struct symtab *symtab, const char *name);
/* The symbol that I/N of all come before, by address; NULL: there are none. */
const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n);

#endif
