/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches unwind rules by object and range of ELF addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/unwind/rule.h"
#include "util/arena.h"
#include "util/vec.h"

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

/* The rule for [start, end), or the reason why there is none. */
struct cached_rule {
	uint64_t start, end;
	const struct compiled_rule *rule; /* NULL: there is none */
	const char *reason;		  /* constant; NULL: no reason known */
};

/* The rules of one object, sorted by start. */
struct object_rules {
	struct VEC(struct cached_rule) all;
};

struct rule_cache {
	struct VEC(struct object_rules) objects; /* indexed by object number */
	struct arena memory;
	size_t rules;	 /* total number */
	unsigned clears; /* calls of rule_cache_clear(); earlier results are invalid */
};

/*
 * Returns the cached rule for ADDRESS, NULL if none was added. It is valid until the next call of
 * another function.
 */
const struct cached_rule *rule_cache_find(
	const struct rule_cache *cache, size_t object, uint64_t address);
/*
 * Adds RULE, which applies to ADDRESS of OBJECT. RULE may be NULL: there is none at ADDRESS, for
 * REASON. Drops all other rules first if there are too many.
 */
const struct cached_rule *rule_cache_add(struct rule_cache *cache, size_t object, uint64_t address,
	const struct unwind_rule *rule, const char *reason);
/* Drops all rules. To be called also when objects get other numbers. */
void rule_cache_clear(struct rule_cache *cache);
