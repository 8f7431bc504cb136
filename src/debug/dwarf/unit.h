/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One unit of .debug_info: its header and the attributes of its unit DIE. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/dwarf/abbrev.h"
#include "debug/dwarf/dwarf.h"
#include "debug/dwarf/form.h"
#include "debug/files/sections.h"
#include "debug/range_map.h"

struct function;
struct line_table;

struct unit {
	struct dwarf *dwarf;
	uint64_t offset, end; /* in .debug_info, [offset, end), header included */
	uint64_t first;	      /* offset of the unit DIE */
	struct encoding encoding;
	/* DW_UT_*; before DWARF 5 compile or, depending on its attributes, skeleton */
	uint8_t type;
	uint64_t abbrev_offset;
	uint64_t dwo_id; /* of a skeleton and its split unit */
	bool has_dwo_id;
	const struct abbrev_table *abbrevs; /* NULL if not read or broken */
	bool abbrevs_read;

	bool root_read;	      /* the fields below are set, if the unit DIE has them */
	bool partial;	      /* DW_TAG_partial_unit, or without unit DIE: contains no code */
	const char *comp_dir; /* NULL if unknown */
	uint16_t language;    /* DW_LANG_*, 0 if unknown */
	uint64_t low_pc;      /* base of ranges, as ELF address */
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t ranges_base; /* of a skeleton: base of its split unit's DW_AT_ranges */
	const char *dwo_name; /* of a skeleton, NULL if none */
	uint64_t line_offset; /* in .debug_line, UINT64_MAX if none */
	struct range_map own; /* ranges of code, finished; values are 0 */

	bool functions_read, deep;  /* DEEP: including functions inside functions and types */
	struct function *functions; /* owned */
	size_t n_functions;
	struct range_map function_map; /* values are indices into FUNCTIONS */
	struct line_table *lines;      /* owned by the reader; NULL if not read or missing */
	bool lines_read;

	/* of a split unit: its skeleton, which has the addresses; otherwise NULL */
	struct unit *skeleton;
	bool split_tried;   /* the fields below are set, of a skeleton */
	struct unit *split; /* owned; NULL if not found, DETAIL is then the reason */
	const char *detail;
};

void unit_deinit(struct unit *unit);
/*
 * Reads the header of the unit at OFFSET. Returns false if there is none; the next unit then cannot
 * be found either. Units of unknown versions or types get type 0.
 */
bool unit_read_header(struct dwarf *dwarf, uint64_t offset, struct unit *ret);
/* Reads the abbreviations. Returns false if they are broken. */
bool unit_read_abbrevs(struct unit *unit);
/* Sets UNIT's fields from comp_dir to own by its unit DIE, if they are not set already. */
void unit_read_root(struct unit *unit);
