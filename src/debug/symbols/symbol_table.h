/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables as in the file, with their strings; those of MiniDebugInfo; the variables in them;
 * and the code that symbol values mean, on machines where they are not its addresses.
 */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/range_map.h"
#include "object/elf_image.h"
#include "util/vec.h"

/* A symbol table as in the file, with its strings. */
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

/*
 * The code of function symbols on machines where symbol values point to descriptors or include mode
 * bits (arch/arch.h).
 */
struct entry_points;

/*
 * Reads the descriptors of IMAGE, or of its DEBUG file (NULL: none) if IMAGE has none; both must
 * outlive the result. Returns NULL if values are code addresses, as on most machines; the functions
 * below accept that.
 */
struct entry_points *entry_points_create(
	const struct elf_image *image, const struct elf_image *debug);
void entry_points_destroy(struct entry_points *points);
/*
 * Replaces VALUE, the ELF address from a function symbol, by the address of its code. Returns true
 * if that came from a descriptor: the code's section is [START_RET, END_RET) then, not the
 * symbol's. Returns false if the code is in the symbol's section.
 */
bool entry_point_follow(
	const struct entry_points *points, uint64_t *value, uint64_t *start_ret, uint64_t *end_ret);
/*
 * Returns the function's name, given the name of its symbol: without the leading dot if that marks
 * its code (".main" is main's).
 */
const char *entry_point_name(const struct entry_points *points, const char *name);

/*
 * MiniDebugInfo is .gnu_debugdata, an xz-compressed ELF file with the symbols that .dynsym lacks
 * (gdb's documentation). Fedora and related distributions have it in every stripped file.
 */

/*
 * Opens the file in .gnu_debugdata of IMAGE; the result is the caller's to destroy. Returns NULL if
 * there is none, if it is broken or too large, or if its build ID or code sections do not match
 * those of IMAGE: its symbols would be wrong. Returns NULL too if IMAGE or its DEBUG file (NULL:
 * none) has a .symtab.
 */
struct elf_image *minidebug_open(const struct elf_image *image, const struct elf_image *debug);

struct datum {
	uint64_t start;	  /* ELF address */
	const char *name; /* symbol; lives as long as the images */
};

/* Variables of an ELF file. */
struct data {
	struct VEC(struct datum) symbols;
	struct range_map map; /* values are indices into SYMBOLS */
	bool read;
};

/*
 * Reads the symbols of IMAGE and its debug file DEBUG (NULL if none). Both must outlive the result.
 */
void data_read(const struct elf_image *image, const struct elf_image *debug, struct data *ret);
/* Returns the variable that covers the ELF address ADDRESS, NULL if there is none. */
const struct datum *data_find(const struct data *data, uint64_t address);
/*
 * Finds the ELF address of the variable NAME, mangled or demangled. Returns false if there is none.
 */
bool data_named(const struct data *data, const char *name, uint64_t *ret);
