/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One unit of .debug_info: its header, what its unit DIE says, and reading the attributes of any
 * DIE in it. A DIE is named by its offset in .debug_info.
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
	uint64_t offset, end; /* in .debug_info, [offset, end) with the header */
	uint64_t first;	      /* offset of the unit DIE */
	struct encoding encoding;
	uint8_t type; /* DW_UT_*; before DWARF 5 compile or, by its attributes, skeleton */
	uint64_t abbrev_offset;
	uint64_t dwo_id; /* of a skeleton and its split unit */
	bool has_dwo_id;
	const struct abbrev_table *abbrevs; /* NULL: not read yet, or broken */
	bool abbrevs_read;

	bool root_read; /* the fields below are set, as far as the unit DIE has them */
	bool partial; /* DW_TAG_partial_unit, or no unit DIE at all: not a place to look for code */
	const char *comp_dir; /* NULL: unknown */
	uint16_t language;    /* DW_LANG_*, 0: unknown */
	uint64_t low_pc;      /* base of ranges */
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t ranges_base; /* of a skeleton: what its split unit's DW_AT_ranges count from */
	const char *dwo_name; /* of a skeleton, NULL: none */
	uint64_t line_offset; /* in .debug_line, UINT64_MAX: none */
	struct range_map own; /* ranges of code, values are 0; finished */

	bool functions_read, deep;  /* deep: also functions inside functions and types */
	struct function *functions; /* owned */
	size_t n_functions;
	struct range_map function_map; /* values are indices into functions */
	struct line_table *lines; /* owned by the reader, NULL: not read yet, or there is none */
	bool lines_read;

	const struct unit *skeleton; /* of a split unit: where its addresses are; else NULL */
	bool split_tried;	     /* the fields below are set, for a skeleton */
	struct unit *split;	     /* owned, NULL: not found, and DETAIL says so */
	const char *detail;
};

void unit_deinit(struct unit *unit);
/*
 * Reads the header of the unit at OFFSET. False: there is none, and no way to know where the next
 * one is. A unit of a version or type that is not read here gets type 0.
 */
bool unit_read_header(struct dwarf *dwarf, uint64_t offset, struct unit *ret);
/* Reads the abbreviations; false if they are broken. */
bool unit_read_abbrevs(struct unit *unit);
/* A cursor over the DIEs of UNIT from OFFSET on, failed if OFFSET is not among them. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);
/*
 * The same from the unit DIE on, of what was inflated with the header: mostly it has all of the
 * unit DIE.
 */
struct cursor unit_head(const struct unit *unit);

/* Attributes of one DIE, one by one. */
struct attributes {
	struct cursor specs, values;
	const struct encoding *encoding;
	bool children;
	uint16_t tag;
};

/* False: there is no DIE at OFFSET. Needs the abbreviations. */
bool attributes_begin(const struct unit *unit, uint64_t offset, struct attributes *ret);
/* The same of the DIE at CURSOR. */
bool attributes_at(const struct unit *unit, struct cursor cursor, struct attributes *ret);
/* The next attribute; false after the last. */
bool attributes_next(struct attributes *attributes, uint16_t *name_ret, struct form_value *ret);

/* NULL: VALUE is no string, or not a valid one. It lives as long as the sections. */
const char *unit_string(const struct unit *unit, const struct form_value *value);
/* VALUE as an ELF address (DW_FORM_addr and those by index). False: it is none. */
bool unit_address(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* The address with this INDEX in the unit's part of .debug_addr. */
bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *ret);
/* A reference to a DIE in .debug_info, as offset in it. False: it is none, or leads elsewhere. */
bool unit_reference(const struct unit *unit, const struct form_value *value, uint64_t *ret);
/* True if VALUE refers to a DIE of dwz's file: its number is the offset there. */
bool unit_refers_to_alt(const struct form_value *value);
/* dwz's file, NULL if it is missing: that is noted. */
struct dwarf *unit_alt(const struct unit *unit);
/* The string at OFFSET of a string section, NULL: there is none. */
const char *unit_section_string(struct dwarf *dwarf, enum section_id id, uint64_t offset);
