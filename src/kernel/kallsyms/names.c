// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/names.h"

#include <string.h>

#include "util/bloom.h"
#include "util/order.h"
#include "util/radix.h"

/* Returns an entry of the index: 32 bits of the hash of NAME, then the symbol's index. */
static uint64_t entry_of(const char *name, uint32_t symbol)
{
	return bloom_hash(name, strlen(name)) << 32 | symbol;
}

static void read_names(struct kallsyms *kallsyms)
{
	if (kallsyms->names_read)
		return;
	kallsyms->names_read = true;
	vec_reserve(&kallsyms->names, kallsyms->symbols.len);
	for (uint32_t i = 0; i < kallsyms->symbols.len; i++) {
		uint32_t name = kallsyms->symbols.data[i].name;

		if (name)
			vec_push(&kallsyms->names, entry_of(kallsyms->text + name, i));
	}
	radix_sort(kallsyms->names.data, kallsyms->names.len, sizeof(*kallsyms->names.data));
}

void kallsyms_each_named(struct kallsyms *kallsyms, const char *name,
	void (*found)(void *context, const char *module, uint64_t address), void *context)
{
	uint64_t first = entry_of(name, 0), last = entry_of(name, UINT32_MAX);

	read_names(kallsyms);
	for (size_t i = sorted_count(kallsyms->names.data, kallsyms->names.len, < first);
		i < kallsyms->names.len && kallsyms->names.data[i] <= last; i++) {
		const struct kallsyms_symbol *symbol =
			&kallsyms->symbols.data[(uint32_t)kallsyms->names.data[i]];

		if (!strcmp(kallsyms->text + symbol->name, name))
			found(context, kallsyms->text + symbol->module, symbol->address);
	}
}

struct best {
	const char *module; /* NULL: none found yet */
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

/* Other symbols of a name, in the same module or elsewhere. */
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
