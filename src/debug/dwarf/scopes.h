/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is inlined in a function. */
#pragma once

#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/range_map.h"
#include "util/vec.h"

/* Deeper trees are cut; the deepest seen in real programs (Rust, inlined closures) is about 80. */
enum { SCOPES_DEPTH_MAX = 512 };

#define SCOPES_NONE UINT32_MAX

struct scope {
	uint64_t die;
	uint32_t parent; /* index of the scope it was inlined into, SCOPES_NONE: the function */
};

struct scopes {
	struct VEC(struct scope) all;
	struct range_map map; /* values are indices into all */
};

/* NULL is fine. */
void scopes_destroy(struct scopes *scopes);
/* Reads the inlined calls below the function at offset DIE of UNIT. RET must be empty. */
void scopes_read(struct unit *unit, uint64_t die, struct scopes *ret);
/* The innermost scope at ADDRESS, SCOPES_NONE if nothing is inlined there. */
uint32_t scopes_innermost(const struct scopes *scopes, uint64_t address);
/*
 * The same at once: trees whose own ranges do not hold ADDRESS are passed over. What is in SCRATCH
 * is lost, and it holds no more than the scopes around the result.
 */
uint32_t scopes_read_at(struct unit *unit, uint64_t die, uint64_t address, struct scopes *scratch);
