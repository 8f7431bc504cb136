/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A package of split units (.dwp). Its index gives the parts of the sections that belong to each
 * unit (DWARF 5, section 7.3.5; GNU's version 2: https://gcc.gnu.org/wiki/DebugFissionDWP).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/cursor.h"
#include "debug/files/sections.h"

struct package {
	struct sections *sections; /* not owned */
	struct cursor slots;	   /* hash table of unit IDs, 8 bytes each */
	struct cursor rows;	   /* row of each slot, 4 bytes each, counting from 1 */
	/* section kinds of the columns of both tables, 4 bytes each */
	struct cursor columns;
	struct cursor offsets, sizes; /* rows with 4 bytes per column */
	uint32_t n_slots, n_units, n_columns;
	bool gnu; /* version 2 */
};

/* Reads .debug_cu_index of SECTIONS. Returns false if it is missing or broken. */
bool package_read(struct sections *sections, struct package *ret);
/*
 * Returns the number of possible places of a unit, usually 1. Offsets in the index have 32 bits,
 * and packers let them wrap: each can mean any offset in .debug_info that is equal modulo 2^32.
 */
uint64_t package_places(const struct package *package);
/*
 * Returns the sections of the unit with this ID at PLACE, which is below package_places(); NULL if
 * it is not there. If there are several places, only the length of the unit was checked: the caller
 * must compare the ID. The caller owns the result.
 */
struct sections *package_unit(const struct package *package, uint64_t dwo_id, uint64_t place);
