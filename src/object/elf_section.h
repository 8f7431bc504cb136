/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Iterates over the sections and segments of an ELF file. */
#pragma once

#include <gelf.h>
#include <stdbool.h>

#include "object/elf_image.h"

/* A zero-filled struct is before the first section. */
struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr header;
};

/*
 * Steps to the next section whose header can be read. Returns false after the last one. ELF may be
 * NULL.
 */
bool elf_section_next(Elf *elf, struct elf_section *section);
/* Steps to the next section of this type (SHT_*). */
bool elf_section_next_of(Elf *elf, unsigned type, struct elf_section *section);
/* Steps to the next section of code (SHF_EXECINSTR) that is loaded and not empty. */
bool elf_section_next_code(Elf *elf, struct elf_section *section);
/* Finds the first section called NAME. */
bool elf_section_find(Elf *elf, const char *name, struct elf_section *ret);
/*
 * Steps to the next program header of this type (PT_*), from number *NEXT on, and sets *NEXT to the
 * number after it. Returns false after the last one; looks at no more than 4096.
 */
bool elf_segment_next(Elf *elf, unsigned type, size_t *next, GElf_Phdr *ret);
/*
 * Returns the content of SCN, which may be NULL, in this machine's byte order; NULL if it cannot be
 * read. Ends the program if memory runs out.
 */
Elf_Data *elf_section_data(Elf_Scn *scn);
/* Returns the SHT_SYMTAB_SHNDX data for the symbol table in section SYMBOLS, or NULL. */
Elf_Data *elf_section_indices(Elf *elf, size_t symbols);
/* Returns the name of SECTION, or "" if it has none. Valid as long as ELF. */
const char *elf_section_name(Elf *elf, const struct elf_section *section);

/*
 * Returns false if two ELF files without build IDs cannot be from the same build: their code
 * sections (SHF_ALLOC and SHF_EXECINSTR) differ in address, size or name, so an address does not
 * mean the same code in both. Returns true if one of them has no code sections. Debug files keep
 * the headers of these sections without their content.
 */
bool same_code_sections(const struct elf_image *a, const struct elf_image *b);
