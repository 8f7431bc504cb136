/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind rules that were looked up, by object and range of ELF addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/unwind/rule.h"
#include "util/arena.h"
#include "util/vec.h"

/*
 * An unwind rule, and which registers it is about: most functions save few, and a walk asks for no
 * others.
 */
struct compiled_rule {
	uint64_t lost; /* bits by number: registers whose value the caller had is nowhere */
	uint8_t n_changed, changed[UNWIND_REGISTERS]; /* those that are neither SAME nor lost */
	struct unwind_rule rule;
};

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule);

/* Of [start, end): RULE, or why there is none. */
struct cached_rule {
	uint64_t start, end;
	const struct compiled_rule *rule; /* NULL: there is none */
	const char *reason;		  /* a constant, NULL: nothing to say */
};

/* Of one object, by start. */
struct object_rules {
	struct VEC(struct cached_rule) all;
};

/* Zero-filled is empty. */
struct rule_cache {
	struct VEC(struct object_rules) objects; /* by number */
	struct arena memory;
	size_t rules;	 /* in all */
	unsigned clears; /* how often it was cleared: what it gave before is gone */
};

/* NULL: the address was not asked for. Good until the next call of another function. */
const struct cached_rule *rule_cache_find(
	const struct rule_cache *cache, size_t object, uint64_t address);
/*
 * Keeps RULE, which holds for ADDRESS of OBJECT, or with NULL that there is none at ADDRESS, and
 * REASON. When there are too many rules it drops all others first.
 */
const struct cached_rule *rule_cache_add(struct rule_cache *cache, size_t object, uint64_t address,
	const struct unwind_rule *rule, const char *reason);
/* Also for when objects get other numbers. */
void rule_cache_clear(struct rule_cache *cache);
