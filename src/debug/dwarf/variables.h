/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variables of a file that have a fixed address. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/dwarf/unit_index.h"
#include "util/vec.h"

struct variable {
	uint64_t address; /* ELF address; first, to sort by it */
	uint64_t die;	  /* its offset in .debug_info */
	struct unit *unit;
};

/* Zero-filled is not read yet. */
struct variables {
	bool read;
	struct VEC(struct variable) all; /* by address */
};

void variables_deinit(struct variables *variables);
/*
 * Returns the variable of UNITS that begins at ADDRESS; NULL: none does. The first call reads all
 * units.
 */
const struct variable *variables_find(
	struct variables *variables, struct unit_index *units, uint64_t address);
