/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables with a fixed address. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/dwarf/unit_index.h"
#include "util/vec.h"

struct variable {
	uint64_t address; /* ELF address; first, as sort key */
	uint64_t die;	  /* offset in .debug_info */
	struct unit *unit;
};

/* Starts zero-filled. */
struct variables {
	bool read;
	struct VEC(struct variable) all; /* sorted by address */
};

void variables_deinit(struct variables *variables);
/*
 * Returns the variable in UNITS that begins at ADDRESS (ELF address), NULL if there is none. The
 * first call reads all units.
 */
const struct variable *variables_find(
	struct variables *variables, struct unit_index *units, uint64_t address);
