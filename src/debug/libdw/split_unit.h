/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Split units: the functions are in a .dwo file, the skeleton stays in the program. */
#pragma once

#include "debug/debug.h"
#include "debug/libdw/unit.h"
#include "util/arena.h"

/*
 * Fills UNIT's comp_dir and die: the split unit of a skeleton, else the unit itself. If the .dwo
 * file cannot be used, die stays empty and UNIT's detail (in ARENA) names it. HOLDER is the file the
 * skeleton is in.
 *
 * libdw opens the .dwo file by itself: beside HOLDER, then in the compilation directory. So
 * nothing is opened for a container (OPTIONS has a root), nor where a candidate is not a regular file or
 * others than those of HOLDER could have written it.
 */
void split_unit_open(struct dwarf_unit *unit, const struct elf_image *holder,
	const struct debug_options *options, struct arena *arena);
