/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An unwind rule, and which registers it is about: most functions save few, and a walk asks for no others. */
#pragma once

#include <stdint.h>

#include "debug/unwind/rule.h"

struct compiled_rule {
	uint64_t lost; /* bits by number: registers whose value the caller had is nowhere */
	uint8_t n_changed, changed[UNWIND_REGISTERS]; /* those that are neither SAME nor lost */
	struct unwind_rule rule;
};

void compiled_rule_init(struct compiled_rule *compiled, const struct unwind_rule *rule);
