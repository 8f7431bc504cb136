/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DWARF of one file, or of one unit's part of a package (.dwp): what its units share. */
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
	uint64_t range_budget; /* ranges that may still be read: many DIEs can name one long list */
	uint64_t
		line_budget; /* bytes of line programs that may still be read, for the same reason */
	struct dwarf *alt; /* dwz's file, where DW_FORM_GNU_ref_alt leads; not owned, NULL: none */
	bool alt_missed;   /* something led there, and it was none */
	struct table
		strings; /* copies of those in .debug_info, which may not stay; to their addresses */
	bool split;	 /* of split units (.dwo): their bases are not in attributes */
};

/* Takes SECTIONS. */
struct dwarf *dwarf_create(struct sections *sections);
void dwarf_destroy(struct dwarf *dwarf);
