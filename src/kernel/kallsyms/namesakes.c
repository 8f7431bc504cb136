// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/namesakes.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/order.h"
#include "util/repeats.h"
#include "util/vec.h"

void kallsyms_namesakes_deinit(struct kallsyms_namesakes *namesakes)
{
	vec_deinit(&namesakes->all);
}

static void note_all(const struct kallsyms *kallsyms, struct repeats *repeats)
{
	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		struct kallsyms_walk walk = {.table = kallsyms->tables.data[i]};

		while (kallsyms_walk_next(&walk))
			if (walk.code)
				repeats_note(repeats, kallsyms_walk_hash(&walk));
	}
}

static void keep_repeated(const struct kallsyms *kallsyms, uint32_t number,
	const struct repeats *repeats, struct kallsyms_namesakes *ret)
{
	const struct kallsyms_table *table = kallsyms->tables.data[number];
	struct kallsyms_walk walk = {.table = table};

	while (kallsyms_walk_next(&walk)) {
		uint64_t hash = walk.code ? kallsyms_walk_hash(&walk) : 0;

		if (walk.code && repeats_has(repeats, hash))
			vec_push(&ret->all,
				(struct kallsyms_namesake){
					hash, table->base + table->offsets[walk.index - 1], number});
	}
}

static int compare_namesakes(const void *a_ptr, const void *b_ptr)
{
	const struct kallsyms_namesake *a = a_ptr, *b = b_ptr;

	return order_of(a->hash, b->hash)
	       ?: order_of(a->start, b->start)
	       ?: order_of(a->table, b->table);
}

void kallsyms_namesakes_read(const struct kallsyms *kallsyms, struct kallsyms_namesakes *ret)
{
	struct repeats repeats;
	size_t n = 0;

	ret->all.len = 0;
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		n += kallsyms->tables.data[i]->n;
	repeats_init(n, &repeats);
	note_all(kallsyms, &repeats);
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		keep_repeated(kallsyms, (uint32_t)i, &repeats, ret);
	repeats_deinit(&repeats);
	vec_sort(&ret->all, compare_namesakes);
}

static size_t first_with(const struct kallsyms_namesakes *namesakes, uint64_t hash)
{
	return sorted_count(namesakes->all.data, namesakes->all.len, .hash < hash);
}

bool kallsyms_namesakes_qualifier(const struct kallsyms_namesakes *namesakes,
	const struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret)
{
	const struct kallsyms_table *own = kallsyms->tables.data[answer->table];
	uint64_t hash = kallsyms_table_hash(own, answer->index);
	const struct kallsyms_namesake *all = namesakes->all.data;
	size_t here = 0, elsewhere = 0;

	for (size_t i = first_with(namesakes, hash); i < namesakes->all.len && all[i].hash == hash;
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
