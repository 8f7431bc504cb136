// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/kallsyms.h"

#include <string.h>

#include "util/order.h"

enum {
	/* assumed size of a function whose end is unknown, such as a module's last */
	LAST_SYMBOL_REACH = 4096,
	/* a larger one is a gap; the largest function of Linux 6.18 has 20 KB */
	FUNCTION_MAX = 1 << 16,
	/* limit on the runs of one module's symbols that kallsyms_find_in() searches */
	RUNS_AROUND = 64,
};

void kallsyms_deinit(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	vec_deinit(&kallsyms->symbols);
	vec_deinit(&kallsyms->names);
}

/* Returns the number of symbols at or below ADDRESS. */
static size_t count_below(const struct kallsyms *kallsyms, uint64_t address)
{
	return sorted_count(kallsyms->symbols.data, kallsyms->symbols.len, .address <= address);
}

/*
 * Returns the end of SYMBOL: the next symbol of the same module, because kallsyms has no sizes. If
 * that is too far away, LAST_SYMBOL_REACH is assumed. NEXT is the index of the first symbol after
 * SYMBOL.
 */
static uint64_t symbol_end(
	const struct kallsyms *kallsyms, const struct kallsyms_symbol *symbol, size_t next)
{
	const struct kallsyms_symbol *all = kallsyms->symbols.data;
	uint64_t start = symbol->address;

	for (; next < kallsyms->symbols.len && all[next].address - start <= FUNCTION_MAX; next++)
		if (all[next].module == symbol->module)
			return all[next].address;
	return start > UINT64_MAX - LAST_SYMBOL_REACH ? UINT64_MAX : start + LAST_SYMBOL_REACH;
}

/*
 * Sets RET to symbol AT if it covers ADDRESS. NEXT is the index of the first symbol above ADDRESS.
 * The range of the answer ends at LIMIT at the latest.
 */
static bool answer(const struct kallsyms *kallsyms, size_t at, size_t next, uint64_t limit,
	uint64_t address, struct kallsyms_answer *ret)
{
	const struct kallsyms_symbol *symbol = &kallsyms->symbols.data[at];

	for (; symbol > kallsyms->symbols.data; symbol--)
		if (symbol[-1].address != symbol->address || symbol[-1].module != symbol->module)
			break;
	uint64_t end = symbol_end(kallsyms, symbol, next);
	if (end > limit)
		end = limit;
	if (address >= end || !symbol->name)
		return false;
	*ret = (struct kallsyms_answer){
		.name = kallsyms->text + symbol->name,
		.module = symbol->module ? kallsyms->text + symbol->module : NULL,
		.start = symbol->address,
		.end = end,
	};
	return true;
}

bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret)
{
	size_t next = count_below(kallsyms, address);
	uint64_t limit =
		next < kallsyms->symbols.len ? kallsyms->symbols.data[next].address : UINT64_MAX;

	return next && answer(kallsyms, next - 1, next, limit, address, ret);
}

bool kallsyms_find_in(const struct kallsyms *kallsyms, const char *module, uint64_t address,
	struct kallsyms_answer *ret)
{
	const struct kallsyms_symbol *all = kallsyms->symbols.data;
	size_t next = count_below(kallsyms, address);

	for (size_t i = next, runs = 0; i-- && runs < RUNS_AROUND;) {
		if (i + 1 < next && all[i].module == all[i + 1].module)
			continue;
		runs++;
		if (!strcmp(kallsyms->text + all[i].module, module))
			return answer(kallsyms, i, next, UINT64_MAX, address, ret);
	}
	return false;
}

void kallsyms_each_mangled(const struct kallsyms *kallsyms,
	void (*found)(void *context, const char *name, const char *module, uint64_t address),
	void *context)
{
	for (size_t i = 0; i < kallsyms->symbols.len; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms->symbols.data[i];
		const char *name = kallsyms->text + symbol->name;

		if (name[0] == '_' && (name[1] == 'R' || name[1] == 'Z'))
			found(context, name, kallsyms->text + symbol->module, symbol->address);
	}
}

bool kallsyms_equal(const struct kallsyms *a, const struct kallsyms *b)
{
	return a->text_len == b->text_len && a->symbols.len == b->symbols.len &&
	       !memcmp(a->text, b->text, a->text_len) &&
	       !memcmp(a->symbols.data, b->symbols.data, a->symbols.len * sizeof(*a->symbols.data));
}
