// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/rule_cache.h"

#include <elf.h>
#include <string.h>

#include "model/stack.h"
#include "util/vec.h"

enum { RULES_MAX = 1 << 15 }; /* about 600 bytes each */

void rule_cache_clear(struct rule_cache *cache)
{
	vec_each(object, &cache->objects)
		vec_deinit(&object->all);
	vec_deinit(&cache->objects);
	arena_deinit(&cache->memory);
	cache->rules = 0;
	cache->clears++;
}

const struct cached_rule *rule_cache_find(
	const struct rule_cache *cache, size_t object, uint64_t address)
{
	if (object >= cache->objects.len)
		return NULL;
	const struct object_rules *rules = &cache->objects.data[object];
	size_t n = sorted_count(rules->all.data, rules->all.len, .start <= address);

	return n && address < rules->all.data[n - 1].end ? &rules->all.data[n - 1] : NULL;
}

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

const struct cached_rule *rule_cache_add(struct rule_cache *cache, size_t object, uint64_t address,
	const struct unwind_rule *rule, const char *reason)
{
	struct cached_rule added = {address, address + 1, NULL, reason};

	if (cache->rules >= RULES_MAX)
		rule_cache_clear(cache);
	if (rule) {
		struct compiled_rule *kept = arena_alloc(&cache->memory, sizeof(*kept));

		compiled_rule_init(kept, rule);
		added = (struct cached_rule){rule->start, rule->end, kept, NULL};
	}
	while (cache->objects.len <= object)
		(void)vec_add(&cache->objects);
	struct object_rules *rules = &cache->objects.data[object];
	size_t at = sorted_count(rules->all.data, rules->all.len, .start <= added.start);
	(void)vec_add(&rules->all);
	memmove(rules->all.data + at + 1, rules->all.data + at,
		(rules->all.len - at - 1) * sizeof(added));
	rules->all.data[at] = added;
	cache->rules++;
	return &rules->all.data[at];
}
