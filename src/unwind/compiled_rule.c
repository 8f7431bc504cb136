// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/compiled_rule.h"

#include "model/stack_snapshot.h"

#include <elf.h>

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule)
{
	/* Of x86-64 the column of return addresses is no register of the caller's. */
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
