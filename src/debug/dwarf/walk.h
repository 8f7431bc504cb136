/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the DIEs of a unit in file order, quickly skipping those that are not needed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/abbrev.h"
#include "debug/dwarf/ranges.h"
#include "debug/dwarf/unit.h"

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
