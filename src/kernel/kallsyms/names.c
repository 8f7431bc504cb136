// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/names.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/bloom.h"
#include "util/order.h"
#include "util/radix.h"

static uint64_t hash_of(const char *name)
{
	return bloom_hash(name, strlen(name));
}

static void add_names(struct kallsyms *kallsyms, uint32_t number)
{
	const struct kallsyms_table *table = &kallsyms->tables.data[number];

	vec_reserve(&kallsyms->names, table->n);
	for (uint32_t i = 0; i < table->n; i++)
		if (table->places[i].name)
			vec_push(&kallsyms->names,
				((struct kallsyms_named){
					hash_of(kallsyms_table_name(table, i)), number, i}));
}

static void read_names(struct kallsyms *kallsyms)
{
	if (kallsyms->names_read)
		return;
	kallsyms->names_read = true;
	for (size_t i = 0; i < kallsyms->tables.len; i++)
		add_names(kallsyms, (uint32_t)i);
	radix_sort(kallsyms->names.data, kallsyms->names.len, sizeof(*kallsyms->names.data));
}

void kallsyms_each_named(struct kallsyms *kallsyms, const char *name,
	void (*found)(void *context, const char *module, uint64_t address), void *context)
{
	uint64_t hash = hash_of(name);

	read_names(kallsyms);
	for (size_t i = sorted_count(kallsyms->names.data, kallsyms->names.len, .hash < hash);
		i < kallsyms->names.len && kallsyms->names.data[i].hash == hash; i++) {
		const struct kallsyms_named *named = &kallsyms->names.data[i];
		const struct kallsyms_table *table = &kallsyms->tables.data[named->table];

		if (!strcmp(kallsyms_table_name(table, named->index), name))
			found(context, table->module, kallsyms_table_address(table, named->index));
	}
}

struct best {
	const char *module; /* NULL: none yet */
	uint64_t address;
};

static void choose_best(void *context, const char *module, uint64_t address)
{
	struct best *best = context;

	if (!best->module || (*best->module && !*module))
		*best = (struct best){module, address};
}

bool kallsyms_find_name(struct kallsyms *kallsyms, const char *name, uint64_t *ret)
{
	struct best best = {};

	kallsyms_each_named(kallsyms, name, choose_best, &best);
	if (best.module)
		*ret = best.address;
	return best.module;
}

/* Others of a name, in the same module and elsewhere. */
struct others {
	const char *module;
	uint64_t start;
	bool here, elsewhere;
};

static void note_other(void *context, const char *module, uint64_t address)
{
	struct others *others = context;
	bool here = !strcmp(module, others->module);

	others->elsewhere |= !here;
	others->here |= here && address != others->start;
}

bool kallsyms_qualifier(
	struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret)
{
	struct others others = {answer->module ? answer->module : "", answer->start, false, false};

	kallsyms_each_named(kallsyms, answer->name, note_other, &others);
	text_clear(ret);
	if (others.here)
		text_printf(ret, "@0x%llx", (unsigned long long)answer->start);
	else if (others.elsewhere)
		text_printf(ret, "[%s]", answer->module ? answer->module : "kernel");
	return others.here || others.elsewhere;
}
