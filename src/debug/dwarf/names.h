/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, which may have to be read through a chain of references between DIEs. */
#pragma once

#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/reader_answer.h"

/*
 * Reads the names of the function at offset DIE of UNIT, completed from its abstract origins and
 * specifications.
 */
struct names names_read(struct unit *unit, uint64_t die);

/* An inlined call, or the declaration of a variable. */
struct call {
	struct names names;
	uint64_t file;	       /* index in the unit's line table, UINT64_MAX if none */
	uint32_t line, column; /* 0 if unknown */
};

/* Reads the DW_TAG_inlined_subroutine at offset DIE of UNIT. */
struct call names_read_call(struct unit *unit, uint64_t die);
/*
 * Reads the DW_TAG_variable at offset DIE of *UNIT, completed from its declaration. Sets *UNIT to
 * the unit whose line table the result's FILE refers to.
 */
struct call names_read_variable(struct unit **unit, uint64_t die);
