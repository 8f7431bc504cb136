// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/ambiguous.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/order.h"
#include "util/bloom.h"
#include "util/vec.h"

void kallsyms_ambiguous_deinit(struct kallsyms_ambiguous *ambiguous)
{
	vec_deinit(&ambiguous->all);
}

static void note_all(const struct kallsyms_table *table, struct bloom *bloom)
{
	for (uint32_t i = 0; i < table->n; i++)
		if (table->places[i].name)
			bloom_add(bloom, kallsyms_name_hash(kallsyms_table_name(table, i)));
}

static void keep_repeated(const struct kallsyms_table *table, uint32_t number,
	const struct bloom *bloom, struct kallsyms_ambiguous *ret)
{
	for (uint32_t i = 0; i < table->n; i++) {
		uint64_t hash = kallsyms_name_hash(kallsyms_table_name(table, i));

		if (table->places[i].name && bloom_has_repeated(bloom, hash))
			vec_push(&ret->all, (struct kallsyms_same_name){hash,
						    kallsyms_table_address(table, i), number});
	}
}

COMPARE(compare_names, struct kallsyms_same_name,
	order_of(a->hash, b->hash)
		?: order_of(a->start, b->start)
		?: order_of(a->table, b->table))

void kallsyms_ambiguous_read(const struct kallsyms *kallsyms, struct kallsyms_ambiguous *ret)
{
	struct bloom bloom;
	size_t n = 0;

	ret->all.len = 0;
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		n += kallsyms->tables.data[i]->n;
	bloom_init(n, &bloom);
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		note_all(kallsyms->tables.data[i], &bloom);
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		keep_repeated(kallsyms->tables.data[i], (uint32_t)i, &bloom, ret);
	bloom_deinit(&bloom);
	vec_sort(&ret->all, compare_names);
}

static size_t first_with(const struct kallsyms_ambiguous *ambiguous, uint64_t hash)
{
	return sorted_count(ambiguous->all.data, ambiguous->all.len, .hash < hash);
}

bool kallsyms_ambiguous_qualifier(const struct kallsyms_ambiguous *ambiguous,
	const struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret)
{
	const struct kallsyms_table *own = kallsyms->tables.data[answer->table];
	uint64_t hash = kallsyms_name_hash(answer->name);
	const struct kallsyms_same_name *all = ambiguous->all.data;
	size_t here = 0, elsewhere = 0;

	for (size_t i = first_with(ambiguous, hash); i < ambiguous->all.len && all[i].hash == hash;
		i++) {
		if (all[i].start == answer->start && all[i].table == answer->table)
			continue;
		if (!strcmp(kallsyms->tables.data[all[i].table]->module, own->module))
			here++;
		else
			elsewhere++;
	}
	text_clear(ret);
	if (here)
		text_printf(ret, "@0x%llx", (unsigned long long)answer->start);
	else if (elsewhere)
		text_printf(ret, "[%s]", *own->module ? own->module : "kernel");
	return here || elsewhere;
}
