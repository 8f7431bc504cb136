/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined calls of a function. */
#pragma once

#include <stdint.h>

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

/* SCOPES may be NULL. */
void scopes_destroy(struct scopes *scopes);
/* Reads the inlined calls below the function at offset DIE of UNIT. RET must be empty. */
void scopes_read(struct unit *unit, uint64_t die, struct scopes *ret);
/* Returns the innermost scope at ADDRESS, SCOPES_NONE if nothing is inlined there. */
uint32_t scopes_innermost(const struct scopes *scopes, uint64_t address);
/*
 * Does the work of scopes_read() and scopes_innermost() for one address: skips trees whose ranges
 * do not contain ADDRESS. Overwrites SCRATCH, which then has only the scopes around ADDRESS.
 */
uint32_t scopes_read_at(struct unit *unit, uint64_t die, uint64_t address, struct scopes *scratch);
