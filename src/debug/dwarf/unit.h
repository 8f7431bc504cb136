/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One unit of .debug_info: its header, the attributes of its unit DIE, and reading attributes of
 * any DIE in it. DIEs are identified by their offset in .debug_info.
 */
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
	const struct unit *skeleton;
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
/* Returns a cursor over UNIT's DIEs from OFFSET on, failed if OFFSET is not in them. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);
/*
 * Returns a cursor from the unit DIE on, over the bytes that were inflated with the header: usually
 * all of the unit DIE.
 */
struct cursor unit_head(const struct unit *unit);

/* An iterator over the attributes of a DIE. */
struct attributes {
	struct cursor specs, values;
	const struct encoding *encoding;
	bool children;
	uint16_t tag;
};

/* Returns false if there is no DIE at OFFSET. UNIT's abbreviations must have been read. */
bool attributes_begin(const struct unit *unit, uint64_t offset, struct attributes *ret);
/* Does the same for the DIE at CURSOR. */
bool attributes_at(const struct unit *unit, struct cursor cursor, struct attributes *ret);
/* Reads the next attribute. Returns false after the last. */
bool attributes_next(struct attributes *attributes, uint16_t *name_ret, struct form_value *ret);

/* Returns the string of VALUE, NULL if it is not a valid string. Lives as long as the DWARF. */
const char *unit_string(const struct unit *unit, const struct form_value *value);
/* Reads VALUE as an ELF address (DW_FORM_addr or an index). Returns false if it is not one. */
bool unit_address(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* Reads the address with INDEX in the unit's part of .debug_addr. */
bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *ret);
/*
 * Reads VALUE as a reference to a DIE of the same .debug_info, as its offset. Returns false if it
 * is not one.
 */
bool unit_reference(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* Returns true if VALUE refers to a DIE in dwz's file. Its number is the offset there. */
bool unit_refers_to_alt(const struct form_value *value);
/* Returns dwz's file. If it is missing, returns NULL and sets `alt_missed`. */
struct dwarf *unit_alt(const struct unit *unit);
/* Returns the string at OFFSET of a string section, NULL if there is none. */
const char *unit_section_string(struct dwarf *dwarf, enum section_id id, uint64_t offset);
