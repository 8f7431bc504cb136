/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a linker would do to the debug sections of a relocatable file (a kernel module, a .o): the
 * places that refer to code get its ELF addresses (object/elf_image.h says what these are there).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"

/*
 * Applies all relocations (SHT_RELA and SHT_REL) of section INDEX to BYTES, a fresh copy of its
 * content, inflated. False: one is of a kind that is not known (arch/arch.h), and BYTES are not to
 * be used.
 */
bool relocate_section(
	const struct elf_image *image, size_t index, uint8_t *bytes, size_t len) must_check;
