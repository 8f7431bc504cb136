/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DWARF of one file, or of one unit in a package (.dwp): what its units share, and the search
 * for the unit of an address. .debug_aranges gives it without reading all units, but is only used
 * if the unit confirms it: it lacks units (1 % of vmlinux), and clang does not write it. If it
 * lacks an address, the units that it does not list are read; if it is wrong about one, all units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/dwarf/abbrev.h"
#include "debug/range_map.h"
#include "util/table.h"
#include "util/vec.h"

struct unit;

struct dwarf {
	struct sections *sections; /* owned */
	struct abbrev_cache abbrevs;
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

	struct table by_offset; /* to address of unit */
	struct VEC(struct unit *) owned;
	struct VEC(struct unit *) units; /* all units in order, complete if SCANNED */
	bool aranges_read, scanned;
	enum { UNMAPPED, MAPPED_UNLISTED, MAPPED_ALL } mapped;
	uint64_t next;	 /* offset of the first unit that was not scanned */
	bool scan_along; /* scan on the way to other units, because all will be scanned anyway */
	struct range_map aranges; /* values are indices into OFFSETS */
	struct VEC(uint64_t) offsets;
	bool unordered; /* OFFSETS is not sorted */
	bool ids_read;
	struct table by_dwo_id; /* to address of split unit, set if IDS_READ */
	struct range_map
		map; /* ranges of the units that `mapped` includes; values are indices into UNITS */
};

/* Takes ownership of SECTIONS. */
struct dwarf *dwarf_create(struct sections *sections);
void dwarf_destroy(struct dwarf *dwarf);

/*
 * Prepares for these addresses, sorted, which may then be resolved in any order: inflates the parts
 * of compressed sections that their units need, in one pass, and keeps them. LINES: their line
 * tables, too.
 */
void units_want(struct dwarf *dwarf, const uint64_t *addresses, size_t n, bool lines);
/*
 * Sorts WHICH, the indices of N sorted addresses, into the best order for resolving: then only one
 * unit of compressed sections need be inflated at a time.
 */
void units_order(struct dwarf *dwarf, const uint64_t *addresses, size_t *which, size_t n);
/*
 * Returns the unit of ADDRESS by its own ranges or, if it has none, by those of its functions. NULL
 * if there is none. Its unit DIE has been read.
 */
struct unit *units_find(struct dwarf *dwarf, uint64_t address);
/*
 * Returns the unit of ADDRESS by .debug_aranges alone, NULL if there is none. Its unit DIE has been
 * read. Needed for units of DWARF 2, which cannot list several pieces of code. .debug_aranges can
 * be wrong, so the caller must confirm the result by other evidence.
 */
struct unit *units_claim(struct dwarf *dwarf, uint64_t address);
/* Returns the split unit with this ID, NULL if there is none. Its unit DIE has been read. */
struct unit *units_find_split(struct dwarf *dwarf, uint64_t dwo_id);
/*
 * Returns unit number I in the order of .debug_info, NULL after the last. Only its header has been
 * read.
 */
struct unit *units_at(struct dwarf *dwarf, size_t i);
/*
 * Returns the unit in DWARF that contains the DIE at offset DIE, with its abbreviations read. UNIT
 * is one that may be it, of DWARF or of another file. NULL if there is none.
 */
struct unit *units_holding(struct unit *unit, struct dwarf *dwarf, uint64_t die);

/* One unit of .debug_info: its header and the attributes of its unit DIE. */

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

	bool functions_read, deep; /* DEEP: including functions inside functions and types */
	struct VEC(struct function) functions;
	struct range_map function_map; /* values are indices into FUNCTIONS */
	struct line_table *lines;      /* owned by the reader; NULL if not read or missing */
	bool lines_read;

	/* of a split unit: its skeleton, which has the addresses; otherwise NULL */
	struct unit *skeleton;
	bool split_tried;   /* the fields below are set, of a skeleton */
	struct unit *split; /* owned; NULL if not found, DETAIL is then the reason */
	const char *detail;
};

/*
 * Creates the unit at OFFSET from its header. Returns NULL if there is none; the next unit then
 * cannot be found either. Units of unknown versions or types get type 0.
 */
struct unit *unit_create(struct dwarf *dwarf, uint64_t offset);
/* Reads the abbreviations. Returns false if they are broken. */
bool unit_read_abbrevs(struct unit *unit);
/* Sets UNIT's fields from comp_dir to own by its unit DIE, if they are not set already. */
void unit_read_root(struct unit *unit);
/*
 * Does the same if UNIT contains code of its file, or is the skeleton of a split unit that does.
 * Returns false otherwise.
 */
bool unit_has_code(struct unit *unit);
