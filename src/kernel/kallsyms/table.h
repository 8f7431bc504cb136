/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and reading the table of one module's symbols. */
#pragma once

#include "kernel/kallsyms/kallsyms.h"

/* A symbol as it was read. */
struct kallsyms_symbol {
	uint64_t address;
	uint32_t name, len; /* in the text of names; 0: it only ends the symbol before it */
	uint32_t module;    /* index of its name in the text, by the first line of each */
	uint32_t order;	    /* position in the file */
	char type;	    /* nm(1) */
};

/*
 * Adds the table of N sorted symbols (n > 0) of one module, which all lie within 4 GiB, to KALLSYMS,
 * whose text has their names. Writes to PLACES, which has room for all, and returns how many.
 */
size_t kallsyms_table_add(const struct kallsyms_symbol *symbols, size_t n,
	struct kallsyms_place *places, struct kallsyms *kallsyms);
/* The address of the symbol with this index. */
static inline uint64_t kallsyms_table_address(const struct kallsyms_table *table, size_t index)
{
	return table->base + table->places[index].offset;
}
/* The name of the symbol with this index; "": it is not code. */
static inline const char *kallsyms_table_name(const struct kallsyms_table *table, size_t index)
{
	return table->text + table->places[index].name;
}
/* The number of symbols at or below ADDRESS. */
uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address);
