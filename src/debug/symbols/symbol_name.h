/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the symbol at an address and what DWARF calls the function there belong together. NAME is
 * DWARF's, ENTRY the ELF address where it says the function is entered.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/symbols/symtab.h"

/*
 * Whether SYMBOL is a part of the function that stands elsewhere ("f.cold"): what counts from there
 * is no offset of the function. What a linker adds to tell local names apart makes no part.
 */
bool symbol_is_part(const struct symbol *symbol, const char *name, uint64_t entry);
/* Whether SYMBOL is the mangled name of the C++ function, or a clone of it. */
bool symbol_is_mangled(const struct symbol *symbol, const char *name, uint64_t entry);
