/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, which are often at the end of a chain of references between DIEs. */
#pragma once

#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "debug/reader_answer.h"

/* Of the DIE at offset DIE in UNIT, or of what its origins and specifications lead to. */
struct names names_read(struct unit *unit, uint64_t die);

/* What an inlined call says about itself, or a variable about its declaration. */
struct call {
	struct names names;
	uint64_t file;	       /* index in the unit's line table, UINT64_MAX: none */
	uint32_t line, column; /* 0: unknown */
};

/* Of the DW_TAG_inlined_subroutine at offset DIE in UNIT. */
struct call names_read_call(struct unit *unit, uint64_t die);
/*
 * Of the DW_TAG_variable at offset DIE in *UNIT, or of the declaration that it completes; *UNIT
 * becomes the unit whose line table FILE counts in.
 */
struct call names_read_variable(struct unit **unit, uint64_t die);
