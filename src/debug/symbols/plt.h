/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names PLT stubs, "malloc@plt", which are in no symbol table. Each stub jumps through a slot of
 * the global offset table (GOT), and the relocation of that slot names the function.
 */
#pragma once

#include <stdint.h>

#include "debug/symbols/symtab.h"
#include "object/elf_image.h"

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
