/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and reading the table of one module's symbols. */
#pragma once

#include "kernel/kallsyms/kallsyms.h"

/* A symbol as it was read. */
struct kallsyms_symbol {
	uint64_t address;
	uint32_t name, len; /* in the reader's pool; 0: it only ends the symbol before it */
	uint32_t module;    /* the reader's number */
	uint32_t order;	    /* position in the file */
	char type;	    /* nm(1) */
};

/* One owner less; the last one frees NAMES. */
void kallsyms_names_release(struct kallsyms_names *names);
/*
 * The table of N sorted symbols (n > 0) of MODULE, which all lie within 4 GiB. It shares NAMES. The
 * result has no references yet.
 */
struct kallsyms_table *kallsyms_table_create(const char *module,
	const struct kallsyms_symbol *symbols, size_t n, struct kallsyms_names *names);
/* The address of the symbol with this index. */
static inline uint64_t kallsyms_table_address(const struct kallsyms_table *table, size_t index)
{
	return table->base + table->places[index].offset;
}
/* The name of the symbol with this index; "": it is not code. */
static inline const char *kallsyms_table_name(const struct kallsyms_table *table, size_t index)
{
	return table->names->bytes + table->places[index].name;
}
/* The number of symbols at or below ADDRESS. */
uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address);
/* Whether both have the same symbols. */
bool kallsyms_table_equal(const struct kallsyms_table *a, const struct kallsyms_table *b);
