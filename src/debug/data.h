/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of an ELF file that are variables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

struct data;

/* Reads the symbols of IMAGE and of its DEBUG file (NULL: none). Both must outlive the result. */
struct data *data_create(const struct elf_image *image, const struct elf_image *debug);
void data_destroy(struct data *data);
/*
 * The symbol of the variable that holds the ELF address ADDRESS, and where that starts; NULL: none
 * does.
 */
const char *data_find(const struct data *data, uint64_t address, uint64_t *start_ret);
/*
 * The ELF address of the variable NAME, as in the symbol table or demangled. False: there is none.
 */
bool data_named(const struct data *data, const char *name, uint64_t *ret);
