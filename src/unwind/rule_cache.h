/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches unwind rules by object and ELF address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/unwind/rule.h"
#include "util/arena.h"
#include "util/table.h"

/*
 * An unwind rule, and the registers that it restores. Most functions save few registers, so a walk
 * skips all others.
 */
struct compiled_rule {
	uint64_t lost; /* bit I: the caller's value of register I is lost */
	uint8_t n_changed, changed[UNWIND_REGISTERS]; /* registers that are neither SAME nor lost */
	struct unwind_rule rule;
};

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule);

/* The rule at an address, or the reason why there is none. */
struct cached_rule {
	const char *reason; /* constant; NULL: no reason known */
	bool found;
	struct compiled_rule rule; /* if FOUND */
};

struct rule_cache {
	struct table by_address; /* object number and ELF address → struct cached_rule */
	struct arena memory;
	unsigned clears; /* calls of rule_cache_clear(); earlier results are invalid */
};

/*
 * Returns what is cached for ADDRESS of OBJECT. If that is new (ADDED_RET), the caller has to set
 * it. Drops all rules first if there are too many.
 */
struct cached_rule *rule_cache_at(
	struct rule_cache *cache, size_t object, uint64_t address, bool *added_ret);
/* Drops all rules. To be called also when objects get other numbers. */
void rule_cache_clear(struct rule_cache *cache);
