/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether two unwind rules say the same. */
#pragma once

#include "debug/unwind/rule.h"

/*
 * True if A and B find the same CFA, return address, FP and SP at the ELF address ADDRESS; ranges and sources
 * may differ, and an expression may be what an offset is elsewhere.
 */
bool unwind_rules_agree(const struct unwind_rule *a, const struct unwind_rule *b, uint64_t address);
