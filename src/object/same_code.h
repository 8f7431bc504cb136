/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether two ELF files can be one build's where no build ID says so. */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"

/*
 * False: their code sections (SHF_ALLOC and SHF_EXECINSTR) have other addresses, sizes or names, so
 * that an address of one is not the same code in the other. Files of which one has no sections are
 * not told apart. In a debug file the sections have no bytes, but the rest is kept.
 */
bool same_code_sections(const struct elf_image *a, const struct elf_image *b);
