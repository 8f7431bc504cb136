/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DIEs of a unit, identified by their offset in .debug_info: their attributes and values, the
 * code that they describe, and a walk over them in file order, which skips those not needed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/abbrev.h"
#include "debug/dwarf/cursor.h"
#include "debug/dwarf/dwarf.h"

/*
 * Returns a cursor over UNIT's DIEs from OFFSET on, in the first MAX bytes of the unit; failed if
 * OFFSET is not in them.
 */
struct cursor unit_head(const struct unit *unit, uint64_t offset, uint64_t max);

/* Does the same in the whole unit. */
static inline struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	return unit_head(unit, offset, UINT64_MAX);
}

/* An iterator over the attributes of a DIE. */
struct attributes {
	struct cursor specs, values;
	const struct encoding *encoding;
	bool children;
	uint16_t tag;
};

/* Returns false if there is no DIE at OFFSET. UNIT's abbreviations must have been read. */
bool attributes_begin(const struct unit *unit, uint64_t offset, struct attributes *ret);
/* Does the same for the DIE at CURSOR. */
bool attributes_at(const struct unit *unit, struct cursor cursor, struct attributes *ret);
/* Reads the next attribute. Returns false after the last. */
bool attributes_next(struct attributes *attributes, uint16_t *name_ret, struct form_value *ret);

/* Returns the string of VALUE, NULL if it is not a valid string. Lives as long as the DWARF. */
const char *unit_string(const struct unit *unit, const struct form_value *value);
/* Reads VALUE as an ELF address (DW_FORM_addr or an index). Returns false if it is not one. */
bool unit_address(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* Reads the address with INDEX in the unit's part of .debug_addr. */
bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *ret);
/*
 * Reads VALUE as a reference to a DIE of the same .debug_info, as its offset. Returns false if it
 * is not one.
 */
bool unit_reference(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* Returns true if VALUE refers to a DIE in dwz's file. Its number is the offset there. */
bool unit_refers_to_alt(const struct form_value *value);
/* Returns dwz's file. If it is missing, returns NULL and sets `alt_missed`. */
struct dwarf *unit_alt(const struct unit *unit);

/* Code: DW_AT_low_pc and high_pc, or DW_AT_ranges (.debug_ranges, .debug_rnglists). */

/* Attributes of a DIE as stored. Zero-filled if there is no code. */
struct code {
	struct form_value low, high, ranges, entry;
};

/* Keeps VALUE if the attribute NAME is one of these. */
void code_take(struct code *code, uint16_t name, const struct form_value *value);

struct ranges {
	struct unit *unit;
	struct dwarf *dwarf; /* the DWARF with the list, whose range_budget is charged */
	const struct code *code;
	struct cursor cursor; /* position in the list */
	bool done;	      /* there are no more ranges */
	uint64_t base;	      /* base of offsets in the list, as ELF address */
};

/* Starts an iteration over the ranges of CODE, of a DIE in UNIT. Both must outlive RANGES. */
void ranges_begin(struct ranges *ranges, struct unit *unit, const struct code *code);
/*
 * Reads the next range [START_RET, END_RET), as ELF addresses. Returns false after the last. Skips
 * empty ranges, and those at 0, 1 and -1, where linkers put discarded functions.
 */
bool ranges_next(struct ranges *ranges, uint64_t *start_ret, uint64_t *end_ret);

/* A walk over DIEs. */
struct walk {
	const struct unit *unit;
	const struct abbrev_table *abbrevs;
	struct cursor cursor;
	const uint8_t *base; /* start of the unit, base of sibling references */
};

static inline struct walk walk_from(const struct unit *unit, uint64_t offset)
{
	struct cursor cursor = unit_cursor(unit, offset);

	return (struct walk){unit, unit->abbrevs, cursor,
		cursor.failed ? NULL : cursor.at - (offset - unit->offset)};
}

/* Returns the cursor's offset in .debug_info. */
static inline uint64_t walk_offset(const struct walk *walk)
{
	return walk->unit->offset + (uint64_t)(walk->cursor.at - walk->base);
}

/*
 * Reads the abbreviation of the DIE at the cursor. Returns NULL at the null entry that ends a list
 * of siblings or, with the cursor failed, at the end.
 */
static inline const struct abbrev *walk_begin(struct walk *walk)
{
	uint64_t code = cursor_uleb(&walk->cursor);

	if (!code)
		return NULL;
	const struct abbrev *abbrev = abbrev_get(walk->abbrevs, code);
	if (__builtin_expect(!abbrev, 0))
		cursor_fail(&walk->cursor);
	return abbrev;
}

/* Returns the attributes for code of the DIE that walk_begin() read. Does not move the cursor. */
struct code walk_code(const struct walk *walk, const struct abbrev *abbrev);

/* Skips the attributes of the DIE that walk_begin() read, to its first child or the next DIE. */
static inline void walk_attributes(struct walk *walk, const struct abbrev *abbrev)
{
	abbrev_skip(walk->abbrevs, abbrev, &walk->cursor, &walk->unit->encoding);
}

/*
 * Skips the DIE that walk_begin() read and, by DW_AT_sibling, its children. Returns false if it has
 * children that were not skipped.
 */
static inline bool walk_past(struct walk *walk, const struct abbrev *abbrev)
{
	struct cursor *cursor = &walk->cursor;
	uint64_t sibling = 0;

	if (!abbrev->children) {
		walk_attributes(walk, abbrev);
		return true;
	}
	const uint8_t *start = cursor->at;
	if (abbrev->sibling_at != ABBREV_VARIES) {
		cursor_skip(cursor, abbrev->sibling_at);
		sibling = cursor_number(cursor, abbrev->sibling_size);
	} else if (abbrev->has_sibling) {
		sibling = abbrev_skip_steps(walk->abbrevs, abbrev, cursor, &walk->unit->encoding);
	}
	/* only forward, so that every walk ends */
	if (sibling > (uint64_t)(start - walk->base) && !cursor->failed &&
		sibling <= (uint64_t)(cursor->end - walk->base)) {
		cursor->at = walk->base + sibling;
		return true;
	}
	cursor->at = start;
	walk_attributes(walk, abbrev);
	return false;
}

/* Skips the DIE that walk_begin() read and all its descendants. */
static inline void walk_tree(struct walk *walk, const struct abbrev *abbrev)
{
	uint64_t depth = !walk_past(walk, abbrev);

	while (depth && !walk->cursor.failed) {
		abbrev = walk_begin(walk);
		if (!abbrev)
			depth--;
		else if (!walk_past(walk, abbrev))
			depth++;
	}
}
