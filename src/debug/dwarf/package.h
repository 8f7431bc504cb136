/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A package of split units (.dwp): an index says which parts of its sections belong to a unit
 * (DWARF 5, section 7.3.5; GNU's version 2 of it, https://gcc.gnu.org/wiki/DebugFissionDWP).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/files/sections.h"

struct package {
	struct sections *sections;    /* not owned */
	struct cursor slots;	      /* unit IDs, 8 bytes each, as a hash table */
	struct cursor rows;	      /* row of each slot, 4 bytes each, counted from 1 */
	struct cursor columns;	      /* what the columns of both tables are, 4 bytes each */
	struct cursor offsets, sizes; /* rows of 4 bytes a column */
	uint32_t n_slots, n_units, n_columns;
	bool gnu; /* version 2 */
};

/* Reads .debug_cu_index of SECTIONS; false if there is none, or a broken one. */
bool package_read(struct sections *sections, struct package *ret);
/*
 * How many places a unit may be at. Offsets of the index have 32 bits, and packers let them wrap:
 * each of them may mean any place in .debug_info that is the same modulo 2^32. Usually 1.
 */
uint64_t package_places(const struct package *package);
/*
 * The sections of the unit with this ID, if it is at PLACE (below package_places()): where there
 * are several, something of its length is there, and whether that has the ID is for the caller to
 * see. The caller's to destroy; NULL if it is not in there.
 */
struct sections *package_unit(const struct package *package, uint64_t dwo_id, uint64_t place);
