// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/table.h"

#include <string.h>

#include "util/bloom.h"
#include "util/xalloc.h"

enum { BLOCK = 16, LENGTH_BITS = 7, LENGTH_MORE = 1 << LENGTH_BITS };

void kallsyms_table_release(struct kallsyms_table *table)
{
	if (__atomic_sub_fetch(&table->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (!__atomic_sub_fetch(&table->names->refs, 1, __ATOMIC_ACQ_REL))
		free(table->names);
	free(table->module);
	free(table->offsets);
	free(table->blocks);
	free(table->pool);
	free(table);
}

/* ---- making --------------------------------------------------------------------------------- */

void kallsyms_name_write(
	const struct fsst_writer *writer, const char *name, size_t len, struct text *ret)
{
	uint8_t *written = xmalloc(2 * len + 1);
	size_t left = fsst_write(writer, name, len, written), written_len = left;

	text_clear(ret);
	for (; left >= LENGTH_MORE; left >>= LENGTH_BITS)
		text_add_char(ret, (char)(left | LENGTH_MORE));
	text_add_char(ret, (char)left);
	text_add(ret, (char *)written, written_len);
	free(written);
}

/* The second of two equal symbols, and what ends where something ended already, says nothing. */
static bool is_idle(
	const struct kallsyms_symbol *last, const struct kallsyms_symbol *symbol, const char *pool)
{
	if (!last)
		return false;
	if (!symbol->len)
		return !last->len || last->address == symbol->address;
	return last->address == symbol->address && last->len == symbol->len &&
	       !memcmp(pool + last->name, pool + symbol->name, symbol->len);
}

struct kallsyms_table *kallsyms_table_create(const char *module,
	const struct kallsyms_symbol *symbols, size_t n, const char *pool,
	struct kallsyms_names *names, const struct fsst_writer *writer)
{
	struct kallsyms_table *table = xcalloc(1, sizeof(*table));
	const struct kallsyms_symbol *last = NULL;
	struct text name = {}, written = {};

	*table = (struct kallsyms_table){
		.names = names, .module = xstrdup(module), .base = symbols[0].address};
	__atomic_add_fetch(&names->refs, 1, __ATOMIC_RELAXED);
	table->offsets = xreallocarray(NULL, n, sizeof(*table->offsets));
	table->blocks = xreallocarray(NULL, n / BLOCK + 1, sizeof(*table->blocks));
	for (size_t i = 0; i < n; i++) {
		if (is_idle(last, &symbols[i], pool))
			continue;
		last = &symbols[i];
		if (table->n % BLOCK == 0)
			table->blocks[table->n / BLOCK] = (uint32_t)written.len;
		table->offsets[table->n++] = (uint32_t)(last->address - table->base);
		kallsyms_name_write(writer, pool + last->name, last->len, &name);
		text_add(&written, name.data, name.len);
	}
	text_deinit(&name);
	table->offsets = xreallocarray(table->offsets, table->n, sizeof(*table->offsets));
	table->blocks = xreallocarray(
		table->blocks, (table->n + BLOCK - 1) / BLOCK, sizeof(*table->blocks));
	table->pool_len = written.len;
	table->pool = xreallocarray(text_take(&written), table->pool_len, 1);
	return table;
}

/* ---- reading -------------------------------------------------------------------------------- */

bool kallsyms_walk_next(struct kallsyms_walk *walk)
{
	const uint8_t *p = walk->table->pool + walk->at, *q = p;
	size_t len = 0;

	if (walk->index == walk->table->n)
		return false;
	for (int shift = 0;; shift += LENGTH_BITS, q++) {
		len |= (size_t)(*q & (LENGTH_MORE - 1)) << shift;
		if (!(*q & LENGTH_MORE))
			break;
	}
	walk->p = p;
	walk->len = (size_t)(q + 1 - p) + len;
	walk->code = len > 0;
	walk->at += walk->len;
	walk->index++;
	return true;
}

bool kallsyms_walk_code(struct kallsyms_walk *walk)
{
	while (kallsyms_walk_next(walk))
		if (walk->code)
			return true;
	return false;
}

uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address)
{
	return (uint32_t)partition_point(
		i, 0, table->n, kallsyms_table_address(table, i) <= address);
}

/* A walk that has just come to INDEX, which is below the table's n. */
static struct kallsyms_walk walk_to(const struct kallsyms_table *table, uint32_t index)
{
	uint32_t block = index / BLOCK;
	struct kallsyms_walk walk = {table, block * BLOCK, table->blocks[block], NULL, 0, false};

	while (walk.index <= index && kallsyms_walk_next(&walk))
		;
	return walk;
}

uint64_t kallsyms_walk_hash(const struct kallsyms_walk *walk)
{
	return bloom_hash(walk->p, walk->len);
}

uint64_t kallsyms_table_hash(const struct kallsyms_table *table, uint32_t index)
{
	const struct kallsyms_walk walk = walk_to(table, index);

	return kallsyms_walk_hash(&walk);
}

bool kallsyms_table_name(const struct kallsyms_table *table, uint32_t index, struct text *ret)
{
	struct kallsyms_walk walk = walk_to(table, index);

	text_clear(ret);
	if (!walk.code)
		return false;
	while (*walk.p & LENGTH_MORE) {
		walk.p++;
		walk.len--;
	}
	fsst_read(&table->names->fsst, walk.p + 1, walk.len - 1, ret);
	return true;
}

bool kallsyms_walk_is(const struct kallsyms_walk *walk, const struct text *written)
{
	return walk->code && walk->len == written->len &&
	       !memcmp(walk->p, written->data, walk->len);
}

bool kallsyms_table_is_named(
	const struct kallsyms_table *table, uint32_t index, const struct text *written)
{
	const struct kallsyms_walk walk = walk_to(table, index);

	return kallsyms_walk_is(&walk, written);
}

bool kallsyms_table_find(
	const struct kallsyms_table *table, const struct text *written, uint32_t *ret)
{
	struct kallsyms_walk walk = {.table = table};

	while (kallsyms_walk_next(&walk))
		if (kallsyms_walk_is(&walk, written)) {
			*ret = walk.index - 1;
			return true;
		}
	return false;
}

uint64_t kallsyms_table_lowest(const struct kallsyms_table *table)
{
	struct kallsyms_walk walk = {.table = table};

	return kallsyms_walk_code(&walk) ? kallsyms_walk_address(&walk) : UINT64_MAX;
}

bool kallsyms_table_equal(const struct kallsyms_table *a, const struct kallsyms_table *b)
{
	return a == b || (a->base == b->base && a->n == b->n && a->names == b->names &&
				 a->pool_len == b->pool_len && !strcmp(a->module, b->module) &&
				 !memcmp(a->offsets, b->offsets, a->n * sizeof(*a->offsets)) &&
				 !memcmp(a->pool, b->pool, a->pool_len));
}

size_t kallsyms_table_size(const struct kallsyms_table *table)
{
	return sizeof(*table) + strlen(table->module) + 1 + table->n * sizeof(*table->offsets) +
	       (table->n + BLOCK - 1) / BLOCK * sizeof(*table->blocks) + table->pool_len;
}
