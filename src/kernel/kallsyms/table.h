/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and reading the table of one module's symbols. */
#pragma once

#include "kernel/kallsyms/kallsyms.h"

/* A symbol as it was read. */
struct kallsyms_symbol {
	uint64_t address;
	uint32_t name, len; /* in the reader's pool; len 0: it only ends what stands before it */
	uint32_t module;    /* the reader's number */
	uint32_t order;	    /* position in the file */
	char type;	    /* nm(1) */
};

/*
 * The table of N sorted symbols (n > 0) of MODULE, which all lie within 4 GiB. POOL has their
 * names. The result has no references yet.
 */
struct kallsyms_table *kallsyms_table_create(const char *module,
	const struct kallsyms_symbol *symbols, size_t n, const char *pool,
	struct kallsyms_names *names, const struct fsst_writer *writer);
/* A name as it stands in the pool, with its length. */
void kallsyms_name_write(
	const struct fsst_writer *writer, const char *name, size_t len, struct text *ret);
/* The address of the symbol with this index. */
static inline uint64_t kallsyms_table_address(const struct kallsyms_table *table, size_t index)
{
	return table->base + table->offsets[index];
}
/* The number of symbols at or below ADDRESS. */
uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address);
/* The name of a symbol; false: it is no code. */
bool kallsyms_table_name(const struct kallsyms_table *table, uint32_t index, struct text *ret);
/* The first symbol with a name as kallsyms_name_write() gives it. */
bool kallsyms_table_find(
	const struct kallsyms_table *table, const struct text *written, uint32_t *ret);
/* Whether that is the name of the symbol INDEX. */
bool kallsyms_table_is_named(
	const struct kallsyms_table *table, uint32_t index, const struct text *written);
/* The lowest address of code, UINT64_MAX: there is none. */
uint64_t kallsyms_table_lowest(const struct kallsyms_table *table);
/* Whether both have the same symbols. */
bool kallsyms_table_equal(const struct kallsyms_table *a, const struct kallsyms_table *b);
/* Bytes of memory in use. */
size_t kallsyms_table_size(const struct kallsyms_table *table);

/* A walk over the names of a table in order: zero-filled but for TABLE stands before the first. */
struct kallsyms_walk {
	const struct kallsyms_table *table;
	uint32_t index;	  /* of the symbol that comes next */
	size_t at;	  /* of its name in the pool */
	const uint8_t *p; /* the last name, as written, with its length */
	size_t len;	  /* of P */
	bool code;	  /* it has a name */
};

bool kallsyms_walk_next(struct kallsyms_walk *walk);
/* The same for the next symbol of code. */
bool kallsyms_walk_code(struct kallsyms_walk *walk);
/* The address of the last symbol. */
static inline uint64_t kallsyms_walk_address(const struct kallsyms_walk *walk)
{
	return kallsyms_table_address(walk->table, walk->index - 1);
}
/* Returns true if the walk is at code with the name that kallsyms_name_write() made WRITTEN of. */
bool kallsyms_walk_is(const struct kallsyms_walk *walk, const struct text *written);
/* A hash of the last name. Equal names are written as equal bytes in all tables of a kernel. */
uint64_t kallsyms_walk_hash(const struct kallsyms_walk *walk);
/* The same of the name with this index. */
uint64_t kallsyms_table_hash(const struct kallsyms_table *table, uint32_t index);
