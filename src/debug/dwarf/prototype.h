/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C prototypes of functions, as BTF has them that pahole made of the same DWARF. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/unit.h"
#include "util/text.h"

/*
 * Adds to RET that of the function, or inlined call, at offset DIE of UNIT, not escaped. False, and
 * nothing is added: it is not C's, or not called NAME, or something in it cannot be read.
 */
bool prototype_read(struct unit *unit, uint64_t die, const char *name, struct text *ret);
