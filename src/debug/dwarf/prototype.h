/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C prototypes of functions, the same as in BTF that pahole generates from the same DWARF. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "util/text.h"

/*
 * Adds to RET the prototype of the function or inlined call at offset DIE of UNIT, not escaped.
 * Returns false, and adds nothing, if it is not C, if its name is not NAME, or if a part of it
 * cannot be read.
 */
bool prototype_read(struct unit *unit, uint64_t die, const char *name, struct text *ret);
