/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocates the debug sections of a relocatable file (a kernel module, a .o), as a linker would:
 * references to code become ELF addresses (see object/elf_image.h for what these are in such
 * files).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * Applies all relocations (SHT_RELA and SHT_REL) of section INDEX to BYTES, an inflated private
 * copy of its LEN bytes. Returns false if one of them cannot be applied, for example because its
 * type is not in arch/arch.h; BYTES must not be used then.
 */
bool relocate_section(
	const struct elf_image *image, size_t index, uint8_t *bytes, size_t len) must_check;
/* Returns a relocated copy of section INDEX, malloc'ed. Returns NULL likewise. */
uint8_t *relocate_copy(const struct elf_image *image, size_t index, const void *bytes, size_t len);
