/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of an ELF file, from its symbol tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "object/elf_image.h"

struct data;

/*
 * Reads the symbols of IMAGE and its debug file DEBUG (NULL if none). Both must outlive the result.
 */
struct data *data_create(const struct elf_image *image, const struct elf_image *debug);
void data_destroy(struct data *data);
/*
 * Returns the symbol of the variable that covers the ELF address ADDRESS, NULL if there is none.
 * START_RET receives the variable's ELF address. The string lives as long as the images.
 */
const char *data_find(const struct data *data, uint64_t address, uint64_t *start_ret);
/*
 * Finds the ELF address of the variable NAME, mangled or demangled. Returns false if there is none.
 */
bool data_named(const struct data *data, const char *name, uint64_t *ret);
