// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/table.h"

#include <string.h>

#include "util/order.h"

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

size_t kallsyms_table_add(const struct kallsyms_symbol *symbols, size_t n,
	struct kallsyms_place *places, struct kallsyms *kallsyms)
{
	const struct kallsyms_symbol *last = NULL;
	struct kallsyms_table table = {.module = kallsyms->text + symbols[0].module,
		.text = kallsyms->text,
		.base = symbols[0].address,
		.places = places};

	for (size_t i = 0; i < n; i++) {
		if (is_idle(last, &symbols[i], kallsyms->text))
			continue;
		last = &symbols[i];
		places[table.n++] =
			(struct kallsyms_place){(uint32_t)(last->address - table.base), last->name};
	}
	vec_push(&kallsyms->tables, table);
	return table.n;
}

uint32_t kallsyms_table_below(const struct kallsyms_table *table, uint64_t address)
{
	return (uint32_t)partition_point(
		i, 0, table->n, kallsyms_table_address(table, i) <= address);
}
