/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a unit by address: one pass over its DIEs, when the first is asked for. */
#pragma once

#include <stdint.h>

#include "debug/dwarf/names.h"
#include "debug/dwarf/scopes.h"
#include "debug/dwarf/unit.h"

struct function {
	uint64_t die;
	uint64_t entry;	    /* ELF address where calls enter it */
	struct names names; /* once NAMED */
	bool named;
	uint8_t asked;	       /* how often its scopes were looked for */
	struct scopes *scopes; /* all of them, owned; NULL: not read */
};

void functions_deinit(struct unit *unit);
/*
 * The function at ADDRESS, NULL if there is none. Functions inside functions (GNU C, Ada, local
 * classes) are rare, and finding them means reading everything: that waits until an address has no
 * function without them. Valid until the next call for UNIT.
 */
struct function *functions_find(struct unit *unit, uint64_t address);
/* The ranges of UNIT's functions without those inside others; NULL if it cannot be read. */
const struct range_map *functions_ranges(struct unit *unit);
