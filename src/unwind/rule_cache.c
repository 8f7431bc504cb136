// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/rule_cache.h"

#include <elf.h>

#include "model/stack.h"

enum { RULES_MAX = 1 << 15 }; /* about 600 bytes each */

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule)
{
	/* on x86-64 the return address column is not a register of the caller */
	unsigned n = rule->machine == EM_X86_64 ? AMD64_RIP : UNWIND_REGISTERS;

	*compiled = (struct compiled_rule){.rule = *rule};
	for (unsigned i = 0; i < n; i++) {
		enum unwind_kind kind = (enum unwind_kind)rule->registers[i].kind;

		if (kind == UNWIND_UNDEFINED)
			compiled->lost |= 1ULL << i;
		else if (kind != UNWIND_SAME)
			compiled->changed[compiled->n_changed++] = (uint8_t)i;
	}
}

void rule_cache_clear(struct rule_cache *cache)
{
	table_deinit(&cache->by_address);
	arena_deinit(&cache->memory);
	cache->clears++;
}

struct cached_rule *rule_cache_at(
	struct rule_cache *cache, size_t object, uint64_t address, bool *added_ret)
{
	const uint64_t key[] = {object, address};

	if (cache->by_address.len >= RULES_MAX)
		rule_cache_clear(cache);
	uint64_t *value = table_at(&cache->by_address, key, sizeof(key), added_ret);
	if (*added_ret)
		*value = (uintptr_t)arena_alloc(&cache->memory, sizeof(struct cached_rule));
	return (struct cached_rule *)(uintptr_t)*value;
}
