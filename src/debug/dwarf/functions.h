/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a unit by address. One pass over its DIEs finds them when the first is needed.
 */
#pragma once

#include <stdint.h>

#include "debug/dwarf/names.h"
#include "debug/dwarf/scopes.h"
#include "debug/dwarf/unit.h"

struct function {
	uint64_t die;
	uint64_t entry;	    /* entry point, as ELF address */
	struct names names; /* set if NAMED */
	bool named;
	uint8_t asked;	       /* number of searches in its scopes */
	struct scopes *scopes; /* all scopes, owned; NULL if not read */
};

void functions_deinit(struct unit *unit);
/*
 * Returns the function at ADDRESS, NULL if there is none. Valid until the next call for UNIT.
 * Functions inside functions (GNU C, Ada, local classes) are rare, and finding them means reading
 * all DIEs. They are searched only if no other function has the address.
 */
struct function *functions_find(struct unit *unit, uint64_t address);
/*
 * Returns the ranges of UNIT's functions, usually without nested ones. NULL if the unit cannot be
 * read.
 */
const struct range_map *functions_ranges(struct unit *unit);
