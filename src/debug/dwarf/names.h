/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions and variables, which may have to be read through a chain of references between
 * DIEs, and variables by their fixed addresses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/dwarf.h"
#include "debug/dwarf/split.h"
#include "debug/dwarf/unit.h"
#include "debug/reader_answer.h"
#include "util/vec.h"

/* A function, an inlined call, or the declaration of a variable. */
struct call {
	struct names names;
	uint64_t file;	       /* index in the unit's line table, UINT64_MAX if none */
	uint32_t line, column; /* 0 if unknown */
};

/*
 * Reads the function or inlined call at offset DIE of UNIT, completed from its abstract origins and
 * specifications.
 */
struct call names_read_call(struct unit *unit, uint64_t die);

struct variable {
	uint64_t address; /* ELF address; first, as sort key */
	uint64_t die;	  /* offset in .debug_info */
	struct unit *unit;
};

struct variables {
	bool read;
	struct VEC(struct variable) all; /* sorted by address */
};

void variables_deinit(struct variables *variables);
/*
 * Finds the variable in DWARF that begins at ADDRESS (ELF address), and reads its declaration. Sets
 * *UNIT_RET to the unit whose line table RET's FILE refers to. The first call reads all units.
 */
bool variables_find(struct variables *variables, struct dwarf *dwarf, struct splits *splits,
	uint64_t address, struct unit **unit_ret, struct call *ret);
