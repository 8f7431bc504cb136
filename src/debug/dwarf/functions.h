/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a unit by address. One pass over its DIEs finds them when the first is needed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/answers.h"
#include "debug/dwarf/dwarf.h"
#include "debug/range_map.h"
#include "util/text.h"
#include "util/vec.h"

/* A function, an inlined call, or the declaration of a variable. */
struct call {
	struct names names;
	struct unit *unit;     /* the unit whose line table FILE refers to */
	uint64_t file;	       /* index in the unit's line table, UINT64_MAX if none */
	uint32_t line, column; /* 0 if unknown */
};

/*
 * Reads the names and position of the function, inlined call or variable at offset DIE of UNIT,
 * completed from its abstract origins and specifications: the first of each counts. FILE is
 * DW_AT_call_file or DW_AT_decl_file: the attributes of line and column have the numbers after and
 * before it.
 */
struct call names_read(struct unit *unit, uint64_t die, uint16_t file);

enum { SCOPES_CHAIN_MAX = 128 };

struct scope {
	uint64_t die;
	uint32_t parent; /* index of the enclosing scope, UINT32_MAX if the function */
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

/*
 * Finds the DIEs of the calls inlined into FUNCTION of UNIT at ADDRESS, innermost first; longer
 * chains lose their innermost calls. Returns their number. Most functions are searched once or
 * twice, for which reading only the scopes around ADDRESS is faster: SCRATCH is overwritten then.
 */
size_t scopes_find(struct unit *unit, struct function *function, uint64_t address,
	struct scopes *scratch, uint64_t chain[SCOPES_CHAIN_MAX]);

/* C prototypes of functions, the same as in BTF that pahole generates from the same DWARF. */

/*
 * Adds to RET the prototype of the function or inlined call at offset DIE of UNIT, not escaped.
 * Returns false, and adds nothing, if it is not C, if its name is not NAME, or if a part of it
 * cannot be read.
 */
bool prototype_read(struct unit *unit, uint64_t die, const char *name, struct text *ret);
