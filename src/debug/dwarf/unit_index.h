/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the unit of an address. .debug_aranges gives it without reading all units, but is only used
 * if the unit confirms it: it lacks units (1 % of vmlinux), and clang does not write it. For all
 * other addresses, all units are read.
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
	struct VEC(struct unit *) all; /* all units in order, complete if SCANNED */
	bool aranges_read, scanned, mapped;
	uint64_t next;	 /* offset of the first unit that was not scanned */
	bool scan_along; /* scan on the way to other units, because all will be scanned anyway */
	struct range_map aranges; /* values are indices into OFFSETS */
	struct VEC(uint64_t) offsets;
	bool ids_read;
	struct table by_dwo_id; /* to address of split unit, set if IDS_READ */
	struct range_map map;	/* of all units, set if MAPPED; values are indices into ALL */
};

void unit_index_deinit(struct unit_index *index);
/*
 * Prepares for these addresses, sorted: inflates the parts of compressed sections that their units
 * need, in one pass. LINES: their line tables, too.
 */
void unit_index_want(struct unit_index *index, const uint64_t *addresses, size_t n, bool lines);
/*
 * Sorts WHICH, the indices of N addresses, into the best order for resolving: then only one unit of
 * compressed sections need be inflated at a time.
 */
void unit_index_order(struct unit_index *index, const uint64_t *addresses, size_t *which, size_t n);
/*
 * Returns the unit of ADDRESS by its own ranges or, if it has none, by those of its functions. NULL
 * if there is none. Its unit DIE has been read.
 */
struct unit *unit_index_find(struct unit_index *index, uint64_t address);
/*
 * Returns the unit of ADDRESS by .debug_aranges alone, NULL if there is none. Its unit DIE has been
 * read. Needed for units of DWARF 2, which cannot list several pieces of code. .debug_aranges can
 * be wrong, so the caller must confirm the result by other evidence.
 */
struct unit *unit_index_claim(struct unit_index *index, uint64_t address);
/* Returns the split unit with this ID, NULL if there is none. Its unit DIE has been read. */
struct unit *unit_index_split(struct unit_index *index, uint64_t dwo_id);
/*
 * Returns unit number I in the order of .debug_info, NULL after the last. Only its header has been
 * read.
 */
struct unit *unit_index_at(struct unit_index *index, size_t i);
/* Returns the unit that contains OFFSET of .debug_info, NULL if there is none. */
struct unit *unit_index_holding(struct unit_index *index, uint64_t offset);
