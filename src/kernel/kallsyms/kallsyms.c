// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/kallsyms.h"

#include <string.h>

#include "util/bloom.h"
#include "util/vec.h"
#include "util/sort.h"

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
	vec_each(symbol, &kallsyms->symbols) {
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

/* ---- by name -------------------------------------------------------------------------------- */

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
