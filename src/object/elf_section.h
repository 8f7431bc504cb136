/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections and segments of an ELF file, one after the other. */
#pragma once

#include <gelf.h>
#include <stdbool.h>

#include "object/elf_image.h"

/* Zero-filled is before the first one. */
struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr header;
};

/*
 * Steps to the next section whose header can be read. ELF may be NULL. Returns false after the last
 * one.
 */
bool elf_section_next(Elf *elf, struct elf_section *section);
/* Steps to the next one of that type (SHT_*). */
bool elf_section_next_of(Elf *elf, unsigned type, struct elf_section *section);
/* Steps to the next one with code (SHF_EXECINSTR) that is loaded and not empty. */
bool elf_section_next_code(Elf *elf, struct elf_section *section);
/* Finds the first one called NAME. */
bool elf_section_find(Elf *elf, const char *name, struct elf_section *ret);
/*
 * Steps to the next program header of that type (PT_*), from number *NEXT on, and sets *NEXT to the
 * number after it. Returns false after the last one, or after as many as linkers write.
 */
bool elf_segment_next(Elf *elf, unsigned type, size_t *next, GElf_Phdr *ret);
/*
 * Returns the section indices (SHT_SYMTAB_SHNDX) of the symbol table with that index; NULL: it
 * needs none.
 */
Elf_Data *elf_section_indices(Elf *elf, size_t symbols);
/*
 * Returns true if the string table with that index ends with a zero, as the gABI wants it: else
 * elf_strptr() searches for the last one in it, for each string.
 */
bool elf_section_strings_end(Elf *elf, size_t index);
/* Returns its name, good as long as ELF; "" if there is none. */
const char *elf_section_name(Elf *elf, const struct elf_section *section);

/*
 * Whether two ELF files can be one build's where no build ID says so. False: their code sections
 * (SHF_ALLOC and SHF_EXECINSTR) have other addresses, sizes or names, so that an address of one is
 * not the same code in the other. Files of which one has no sections are not told apart. In a debug
 * file the sections have no bytes, but the rest is kept.
 */
bool same_code_sections(const struct elf_image *a, const struct elf_image *b);
