// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/table.h"

#include <string.h>

#include "util/order.h"
#include "util/xalloc.h"

void kallsyms_names_release(struct kallsyms_names *names)
{
	if (__atomic_sub_fetch(&names->refs, 1, __ATOMIC_ACQ_REL))
		return;
	free(names->bytes);
	free(names);
}

void kallsyms_table_release(struct kallsyms_table *table)
{
	if (__atomic_sub_fetch(&table->refs, 1, __ATOMIC_ACQ_REL))
		return;
	kallsyms_names_release(table->names);
	free(table->module);
	free(table->places);
	free(table);
}

/* The second of two equal symbols, and what ends where something ended already, says nothing. */
static bool is_idle(
	const struct kallsyms_symbol *last, const struct kallsyms_symbol *symbol, const char *names)
{
	if (!last)
		return false;
	if (!symbol->len)
		return !last->len || last->address == symbol->address;
	return last->address == symbol->address &&
	       !strcmp(names + last->name, names + symbol->name);
}

struct kallsyms_table *kallsyms_table_create(const char *module,
	const struct kallsyms_symbol *symbols, size_t n, struct kallsyms_names *names)
{
	struct kallsyms_table *table = xcalloc(1, sizeof(*table));
	const struct kallsyms_symbol *last = NULL;

	*table = (struct kallsyms_table){
		.names = names, .module = xstrdup(module), .base = symbols[0].address};
	__atomic_add_fetch(&names->refs, 1, __ATOMIC_RELAXED);
	table->places = xreallocarray(NULL, n, sizeof(*table->places));
	for (size_t i = 0; i < n; i++) {
		if (is_idle(last, &symbols[i], names->bytes))
			continue;
		last = &symbols[i];
		table->places[table->n++] = (struct kallsyms_place){
			(uint32_t)(last->address - table->base), last->name};
	}
	table->places = xreallocarray(table->places, table->n, sizeof(*table->places));
	return table;
}

uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address)
{
	return (uint32_t)partition_point(
		i, 0, table->n, kallsyms_table_address(table, i) <= address);
}

bool kallsyms_table_equal(const struct kallsyms_table *a, const struct kallsyms_table *b)
{
	if (a == b)
		return true;
	if (a->base != b->base || a->n != b->n || strcmp(a->module, b->module) != 0)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->places[i].offset != b->places[i].offset ||
			strcmp(kallsyms_table_name(a, i), kallsyms_table_name(b, i)) != 0)
			return false;
	return true;
}
