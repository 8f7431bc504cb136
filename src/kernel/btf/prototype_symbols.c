// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/btf/prototype_symbols.h"

#include <string.h>

#include "kernel/kernel.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

size_t prototype_name_length(const char *symbol)
{
	return *symbol ? 1 + strcspn(symbol + 1, ".") : 0;
}

/* Returns true for a part of a function with its own symbol, such as "f.cold" or "f.part.0". */
static bool is_part(const char *suffix)
{
	return !strncmp(suffix, ".cold", 5) || !strncmp(suffix, ".part.", 6);
}

static void count_symbol(struct prototype_set *set, const char *name, uint64_t address)
{
	size_t len = prototype_name_length(name), first;

	if (is_part(name + len))
		return;
	auto_free char *function = xstrndup(name, len);
	if (!btf_functions_named(&set->btf, function, &first))
		return;
	struct prototype_symbol *symbol = &set->symbols.data[first];
	if (!symbol->n++)
		symbol->address = address;
}

/*
 * Sets RET to the slide according to function I. Returns false unless BTF and kallsyms have exactly
 * one function of that name, and BTF has its address.
 */
static bool vote(const struct prototype_set *set, size_t i, uint64_t *ret)
{
	const struct btf *btf = &set->btf;
	struct s2l_btf_node type;
	size_t first, tag;

	if (set->symbols.data[i].n != 1 ||
		btf_function_addresses(btf, btf->functions.data[i], &tag) != 1 ||
		!btf_type_at(btf, btf->functions.data[i], &type) ||
		btf_functions_named(btf, btf_string(type.of, type.name), &first) != 1)
		return false;
	*ret = set->symbols.data[i].address - btf->addresses.data[tag].address;
	return true;
}

/*
 * Returns the KASLR offset of the kernel, or the offset of a module's .text, by majority vote of
 * the functions (Boyer and Moore). Returns 0 if no function can vote.
 */
static uint64_t vote_slide(const struct prototype_set *set)
{
	uint64_t slide = 0, one;
	size_t weight = 0;

	for (size_t i = 0; set->btf.addresses.len && i < set->symbols.len; i++) {
		if (!vote(set, i, &one))
			continue;
		if (!weight)
			slide = one;
		if (slide == one)
			weight++;
		else
			weight--;
	}
	return slide;
}

void prototype_symbols_count(struct prototype_set *set, struct kernel *kernel)
{
	const struct kallsyms *symbols = kernel_symbols(kernel);

	if (set->counted && set->generation == kernel->generation)
		return;
	set->counted = true;
	set->generation = kernel->generation;
	set->symbols.len = 0;
	vec_reserve(&set->symbols, set->btf.functions.len);
	set->symbols.len = set->btf.functions.len;
	if (set->symbols.len)
		memset(set->symbols.data, 0, set->symbols.len * sizeof(*set->symbols.data));
	for (size_t i = 0; i < symbols->symbols.len; i++) {
		const struct kallsyms_symbol *symbol = &symbols->symbols.data[i];

		if (symbol->name && !strcmp(symbols->text + symbol->module, set->module))
			count_symbol(set, symbols->text + symbol->name, symbol->address);
	}
	set->slide = vote_slide(set);
}
