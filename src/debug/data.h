/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of an ELF file: names and sizes by its symbols, where they are declared by its DWARF. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "object/elf_image.h"
#include "util/arena.h"

struct data;

/*
 * Of IMAGE and of HOLDER, which has its DWARF (the same, or its debug file). Both, OPTIONS and ARENA must
 * outlive the result. All is read now, the DWARF through a handle of libdw's own.
 */
struct data *data_create(const struct elf_image *image, const struct elf_image *holder,
	const struct debug_options *options, struct arena *arena);
void data_destroy(struct data *data);
/*
 * The variable that holds the ELF address ADDRESS: linkage, offset, and file and line where DWARF has
 * them; strings live as long as DATA. False: none does.
 */
bool data_find(struct data *data, uint64_t address, struct frame *ret);
/* The ELF address of the variable NAME, as in the symbol table or demangled. False: there is none. */
bool data_named(const struct data *data, const char *name, uint64_t *ret);
