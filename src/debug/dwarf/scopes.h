/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is inlined in a function. */
#ifndef DEBUG_DWARF_SCOPES_H
#define DEBUG_DWARF_SCOPES_H

#include <stddef.h>
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
/*
 * Reads the inlined calls below the function at offset DIE of UNIT: those that overlap [START,
 * END). Trees whose own ranges do not are passed over. RET is added to, and finished.
 */
void scopes_read(
	struct unit *unit, uint64_t die, uint64_t start, uint64_t end, struct scopes *ret);
/* The innermost scope at ADDRESS, SCOPES_NONE if nothing is inlined there. */
uint32_t scopes_innermost(const struct scopes *scopes, uint64_t address);

#endif
