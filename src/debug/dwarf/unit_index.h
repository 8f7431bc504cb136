/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which unit an address is in. .debug_aranges, where there is one, answers without a look at all
 * units, but is only used if the unit says the same: it misses units (1 % of vmlinux), and
 * clang writes none. Every other address has all units read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/range_map.h"
#include "util/table.h"
#include "util/vec.h"

struct unit_index {
	struct dwarf *dwarf;
	struct table by_offset; /* to address of unit */
	struct VEC(struct unit *) owned;
	struct VEC(struct unit *) all; /* those found one after the other, once scanned */
	bool aranges_read, scanned, mapped;
	uint64_t next;	 /* offset of the first unit that was not scanned */
	bool scan_along; /* on the way to units that are asked for, as all of them will be */
	struct range_map aranges; /* values are indices into offsets */
	struct VEC(uint64_t) offsets;
	bool ids_read;
	struct table by_dwo_id; /* to address of split unit, once read */
	struct range_map map;	/* of all units, once mapped; values are indices into all */
};

void unit_index_deinit(struct unit_index *index);
/*
 * Gets ready for these addresses, sorted, so that of compressed sections what their units have is
 * inflated in one pass, and with LINES their line tables.
 */
void unit_index_want(struct unit_index *index, const uint64_t *addresses, size_t n, bool lines);
/*
 * Puts WHICH, the indices of N addresses, in the order in which they are best asked for: of
 * compressed sections no more than one unit need be there at a time then.
 */
void unit_index_order(struct unit_index *index, const uint64_t *addresses, size_t *which, size_t n);
/*
 * The unit whose own ranges, or functions where it has no ranges, hold ADDRESS, its unit DIE read;
 * NULL if there is none.
 */
struct unit *unit_index_find(struct unit_index *index, uint64_t address);
/*
 * The unit that .debug_aranges has for ADDRESS though its own ranges do not hold it, its unit DIE
 * read; NULL if there is none. DWARF 2 has no way to say all pieces of a unit; but .debug_aranges
 * can also be wrong, so something else must know ADDRESS as well.
 */
struct unit *unit_index_claim(struct unit_index *index, uint64_t address);
/* The split unit with this ID, its unit DIE read; NULL if there is none. */
struct unit *unit_index_split(struct unit_index *index, uint64_t dwo_id);
/*
 * The unit with number I, in the order of .debug_info, only its header read; NULL behind the last.
 */
struct unit *unit_index_at(struct unit_index *index, size_t i);
/* The unit whose bytes hold OFFSET of .debug_info, NULL if there is none. */
struct unit *unit_index_holding(struct unit_index *index, uint64_t offset);
