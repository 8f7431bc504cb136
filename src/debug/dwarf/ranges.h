/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a DIE: DW_AT_low_pc and high_pc, or DW_AT_ranges (.debug_ranges, .debug_rnglists). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/dwarf/form.h"
#include "debug/dwarf/unit.h"

/* Attributes of a DIE as stored. Zero-filled if there is no code. */
struct code {
	struct form_value low, high, ranges, entry;
};

/* Keeps VALUE if the attribute NAME is one of these. Returns false if it is not. */
bool code_take(struct code *code, uint16_t name, const struct form_value *value);
/*
 * Reads the entry point: DW_AT_entry_pc or, without that, DW_AT_low_pc. Returns false if there is
 * neither.
 */
bool code_entry(const struct code *code, const struct unit *unit, uint64_t *ret);

struct ranges {
	struct unit *unit;
	struct dwarf *dwarf; /* the DWARF with the list, whose range_budget is charged */
	const struct code *code;
	struct cursor cursor; /* position in the list */
	bool list, done;      /* there is a list; there are no more ranges */
	uint64_t base;	      /* base of offsets in the list, as ELF address */
};

/* Starts an iteration over the ranges of CODE, of a DIE in UNIT. Both must outlive RANGES. */
void ranges_begin(struct ranges *ranges, struct unit *unit, const struct code *code);
/*
 * Reads the next range [START_RET, END_RET), as ELF addresses. Returns false after the last. Skips
 * empty ranges, and those at 0, 1 and -1, where linkers put discarded functions.
 */
bool ranges_next(struct ranges *ranges, uint64_t *start_ret, uint64_t *end_ret);
