/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A symbol table as in the file, with its strings. */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "object/elf_image.h"

struct symbol_table {
	const struct elf_image *image;
	const Elf_Data *data;
	size_t n;	/* number of symbols, including null symbol 0; 0: no table */
	size_t locals;	/* the first LOCALS symbols are local */
	size_t section; /* section index of the table */
	bool is_64;
	const char *strings;
	size_t strings_size; /* in bytes; the last one is NUL */
};

/*
 * Opens the table of TYPE (SHT_SYMTAB, SHT_DYNSYM); a file has one of each. IMAGE may be NULL. The
 * result's N is 0 if there is none.
 */
struct symbol_table symbol_table_open(const struct elf_image *image, unsigned int type);
/* Returns symbol I, which must be below N. */
static inline GElf_Sym symbol_table_get(const struct symbol_table *table, size_t i)
{
	if (table->is_64)
		return ((const Elf64_Sym *)table->data->d_buf)[i];
	const Elf32_Sym *sym = (const Elf32_Sym *)table->data->d_buf + i;
	return (GElf_Sym){.st_name = sym->st_name,
		.st_info = sym->st_info,
		.st_other = sym->st_other,
		.st_shndx = sym->st_shndx,
		.st_value = sym->st_value,
		.st_size = sym->st_size};
}

/* Returns the symbol's name, NULL if it is out of bounds. */
static inline const char *symbol_table_name(const struct symbol_table *table, const GElf_Sym *sym)
{
	return sym->st_name < table->strings_size ? table->strings + sym->st_name : NULL;
}
