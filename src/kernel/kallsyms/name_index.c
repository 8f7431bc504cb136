// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/name_index.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/order.h"
#include "util/radix.h"

void kallsyms_index_deinit(struct kallsyms_index *index)
{
	kallsyms_deinit(&index->symbols);
	vec_deinit(&index->all);
	*index = (struct kallsyms_index){};
}

static bool is_of(const struct kallsyms_index *index, const struct kallsyms *kallsyms)
{
	return index->symbols.tables.len == kallsyms->tables.len &&
	       (!kallsyms->tables.len ||
		       !memcmp(index->symbols.tables.data, kallsyms->tables.data,
			       kallsyms->tables.len * sizeof(*kallsyms->tables.data)));
}

static void fill(struct kallsyms_index *index, const struct kallsyms *kallsyms)
{
	kallsyms_deinit(&index->symbols);
	index->all.len = 0;
	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		struct kallsyms_table *table = kallsyms->tables.data[i];

		kallsyms_add_table(&index->symbols, table);
		for (uint32_t at = 0; at < table->n; at++)
			if (table->places[at].name)
				vec_push(&index->all,
					((struct kallsyms_entry){
						kallsyms_name_hash(kallsyms_table_name(table, at)),
						(uint32_t)i, at}));
	}
	radix_sort(index->all.data, index->all.len, sizeof(*index->all.data));
}

void kallsyms_index_each(struct kallsyms_index *index, const struct kallsyms *kallsyms,
	const char *name, void (*found)(void *context, const char *module, uint64_t address),
	void *context)
{
	uint64_t hash = kallsyms_name_hash(name);

	if (!is_of(index, kallsyms))
		fill(index, kallsyms);
	for (size_t i = sorted_count(index->all.data, index->all.len, .hash < hash);
		i < index->all.len && index->all.data[i].hash == hash; i++) {
		const struct kallsyms_entry *entry = &index->all.data[i];
		const struct kallsyms_table *table = index->symbols.tables.data[entry->table];

		if (!strcmp(kallsyms_table_name(table, entry->index), name))
			found(context, table->module, kallsyms_table_address(table, entry->index));
	}
}
