/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unit DIE: compilation directory, language, bases and code. */
#pragma once

#include "debug/dwarf/unit.h"

/* Sets UNIT's fields from comp_dir to own. Does nothing if they are set already. */
void unit_read_root(struct unit *unit);
