/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a unit by address. One pass over its DIEs finds them when the first is needed.
 */
#pragma once

#include <stdint.h>

#include "debug/dwarf/names.h"
#include "debug/dwarf/unit.h"
#include "debug/range_map.h"
#include "util/vec.h"

/* deeper trees are cut; the deepest seen in real programs (Rust, inlined closures) is about 80 */
enum { SCOPES_DEPTH_MAX = 512 };

#define SCOPES_NONE UINT32_MAX

struct scope {
	uint64_t die;
	uint32_t parent; /* index of the enclosing scope, SCOPES_NONE if the function */
};

struct scopes {
	struct VEC(struct scope) all;
	struct range_map map; /* values are indices into ALL */
};

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

/* Reads the inlined calls below the function at offset DIE of UNIT. RET must be empty. */
void scopes_read(struct unit *unit, uint64_t die, struct scopes *ret);
/* Returns the innermost scope at ADDRESS, SCOPES_NONE if nothing is inlined there. */
uint32_t scopes_innermost(const struct scopes *scopes, uint64_t address);
/*
 * Does the work of scopes_read() and scopes_innermost() for one address: skips trees whose ranges
 * do not contain ADDRESS. Overwrites SCRATCH, which then has only the scopes around ADDRESS.
 */
uint32_t scopes_read_at(struct unit *unit, uint64_t die, uint64_t address, struct scopes *scratch);
