// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/name_index.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/bloom.h"
#include "util/cleanup.h"
#include "util/radix.h"
#include "util/text.h"
#include "util/xalloc.h"

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
		struct kallsyms_walk walk = {.table = kallsyms->tables.data[i]};

		kallsyms_add_table(&index->symbols, kallsyms->tables.data[i]);
		while (kallsyms_walk_code(&walk))
			vec_push(&index->all, ((struct kallsyms_entry){kallsyms_walk_hash(&walk),
						      (uint32_t)i, walk.index - 1}));
	}
	radix_sort(index->all.data, index->all.len, sizeof(*index->all.data));
}

/* Tables that were read together write a name in one way. */
static void find_written(const struct kallsyms_index *index, const struct kallsyms_names *names,
	const char *name, void (*found)(void *context, const char *module, uint64_t address),
	void *context)
{
	auto_free struct fsst_writer *writer = xmalloc(sizeof(*writer));
	scope_guard(text_deinit) struct text written = {};

	fsst_writer_init(&names->fsst, writer);
	kallsyms_name_write(writer, name, strlen(name), &written);
	uint64_t hash = bloom_hash(written.data, written.len);
	size_t first = partition_point(i, 0, index->all.len, index->all.data[i].hash < hash);
	for (size_t i = first; i < index->all.len && index->all.data[i].hash == hash; i++) {
		const struct kallsyms_entry *entry = &index->all.data[i];
		const struct kallsyms_table *table = index->symbols.tables.data[entry->table];

		if (table->names == names && kallsyms_table_is_named(table, entry->index, &written))
			found(context, table->module, kallsyms_table_address(table, entry->index));
	}
}

void kallsyms_index_each(struct kallsyms_index *index, const struct kallsyms *kallsyms,
	const char *name, void (*found)(void *context, const char *module, uint64_t address),
	void *context)
{
	if (!is_of(index, kallsyms))
		fill(index, kallsyms);
	for (size_t i = 0; i < index->symbols.tables.len; i++) {
		const struct kallsyms_names *names = index->symbols.tables.data[i]->names;
		size_t j = 0;

		while (index->symbols.tables.data[j]->names != names)
			j++;
		if (j == i)
			find_written(index, names, name, found, context);
	}
}
