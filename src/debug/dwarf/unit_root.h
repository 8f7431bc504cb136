/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The root DIE of a unit: its name, directory, bases and code. */
#pragma once

#include "debug/dwarf/unit.h"

/* Reads the unit DIE: fills the fields from comp_dir to own. Once is enough. */
void unit_read_root(struct unit *unit);
