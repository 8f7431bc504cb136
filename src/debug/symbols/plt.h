/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of PLT stubs, "malloc@plt": no symbol table has them. Each stub jumps through a slot of
 * the global offset table, and the relocation of that slot names the function.
 */
#pragma once

#include <stdint.h>

#include "debug/symbols/symtab.h"
#include "object/elf_image.h"

struct plt;

/*
 * Reads the stubs of IMAGE, which must outlive the result. Machines whose stubs are unknown have
 * none. SYMTAB (may be NULL) names those of IFUNCs, whose relocation has no symbol but its
 * resolver's address.
 */
struct plt *plt_create(const struct elf_image *image, struct symtab *symtab);
void plt_destroy(struct plt *plt);
/* The stub that ADDRESS is in, NULL if in none. Its name is owned by PLT and not demangled. */
const struct symbol *plt_find(const struct plt *plt, uint64_t address);
