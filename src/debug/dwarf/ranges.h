/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a DIE: DW_AT_low_pc and high_pc, or DW_AT_ranges (.debug_ranges, .debug_rnglists). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/dwarf/form.h"
#include "debug/dwarf/unit.h"

/* Attributes of a DIE as they were read. Zero-filled is no code. */
struct code {
	struct form_value low, high, ranges, entry;
};

/* Keeps the value if the attribute NAME is one of these; false if not. */
bool code_take(struct code *code, uint16_t name, const struct form_value *value);
/* DW_AT_entry_pc, else DW_AT_low_pc. False: has neither. */
bool code_entry(const struct code *code, const struct unit *unit, uint64_t *ret);

struct ranges {
	struct unit *unit;
	struct dwarf *dwarf; /* whose budget is used: where the list is */
	const struct code *code;
	struct cursor cursor; /* in a list */
	bool list, done;      /* there is a list; all was given */
	uint64_t base;	      /* ELF address that offsets in the list count from */
};

/* The ranges that CODE says, of a DIE of UNIT; both must outlive RANGES. */
void ranges_begin(struct ranges *ranges, struct unit *unit, const struct code *code);
/*
 * The next range [START, END); false after the last. Empty ranges, and those at 0, 1 and -1 where
 * linkers leave discarded functions, are passed over.
 */
bool ranges_next(struct ranges *ranges, uint64_t *start_ret, uint64_t *end_ret);
