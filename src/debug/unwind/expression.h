/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DWARF expressions of CFI (DWARF 5, 2.5), as operations of an unwind rule. */
#pragma once

#include "debug/dwarf/cursor.h"
#include "debug/unwind/rule.h"

/*
 * Reads the expression that CURSOR holds into the operations of RULE, of which N_OPS are in use.
 * RET: what it yields (MEMORY false), or the word there. One that only adds to a register becomes
 * VALUE or MEMORY. False: it is too long, or has operations that make no sense here.
 */
bool expression_read(struct cursor cursor, bool big_endian, bool memory, struct unwind_rule *rule,
	unsigned *n_ops, struct unwind_place *ret);
