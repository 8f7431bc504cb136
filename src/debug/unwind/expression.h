/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the DWARF expressions of CFI (DWARF 5, 2.5) to operations of an unwind rule. */
#pragma once

#include "debug/dwarf/cursor.h"
#include "debug/unwind/rule.h"

/*
 * Reads the expression at CURSOR into the operations of RULE, of which N_OPS are in use. RET gets
 * its result as a place; if MEMORY, the word at that address. Expressions that only add to a
 * register become VALUE or MEMORY. Returns false if the expression is too long or has an
 * unsupported operation.
 */
bool expression_read(struct cursor cursor, bool big_endian, bool memory, struct unwind_rule *rule,
	unsigned *n_ops, struct unwind_place *ret);
