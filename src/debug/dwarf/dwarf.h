/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DWARF of one file, or of one unit in a package (.dwp): data shared by its units. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/abbrev.h"
#include "debug/files/sections.h"
#include "util/table.h"

struct unit_index;

struct dwarf {
	struct sections *sections; /* owned */
	struct abbrev_cache abbrevs;
	struct unit_index *units; /* owned */
	/* ranges that may still be read: many DIEs can refer to one long list */
	uint64_t range_budget;
	/* bytes of line programs that may still be read: many units can refer to one */
	uint64_t line_budget;
	/* dwz's file, the target of DW_FORM_GNU_ref_alt; not owned, NULL if none */
	struct dwarf *alt;
	bool alt_missed; /* a reference to dwz's file failed because ALT is NULL */
	/* copies of strings in .debug_info, whose bytes may be released: string → address */
	struct table strings;
	bool split; /* split units (.dwo): their bases are not in attributes */
};

/* Takes ownership of SECTIONS. */
struct dwarf *dwarf_create(struct sections *sections);
void dwarf_destroy(struct dwarf *dwarf);
