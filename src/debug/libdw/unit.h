/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One unit of code: which function is at an address, and which functions are inlined there. Each
 * tree is walked once, when it is first needed, and what was found is kept.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "debug/libdw/die.h"
#include "debug/range_map.h"

/* A call that was inlined. */
struct unit_scope {
	void *die;
	uint32_t parent; /* index of the scope it was inlined into, UNIT_NO_SCOPE: the function */
	bool known;	 /* the fields below are filled */
	struct names names;
	const char *call_file; /* NULL: unknown; libdw's, may be relative to comp_dir */
	uint32_t call_line, call_column;
};

#define UNIT_NO_SCOPE UINT32_MAX

struct unit_function {
	void *die;
	uint64_t entry; /* ELF address where calls enter it */
	bool known;	/* names are filled */
	bool walked;	/* scopes and inlines are filled */
	struct names names;
	struct unit_scope *scopes; /* owned */
	struct range_map inlines;  /* values are indices into scopes */
};

enum unit_depth {
	UNIT_UNREAD,
	UNIT_SHALLOW, /* functions outside functions */
	UNIT_DEEP,    /* also those nested in functions */
};

struct dwarf_unit {
	Dwarf_Die skeleton;   /* the unit DIE that the line table belongs to */
	Dwarf_Die die;	      /* root of the functions; differs from skeleton in split units */
	bool opened;	      /* die and comp_dir are set (split_unit_open() does it) */
	const char *comp_dir; /* NULL: unknown; libdw's */
	const char *detail;   /* what is missing, NULL: nothing */
	enum unit_depth depth;
	struct unit_function *functions; /* owned */
	size_t n_functions;
	struct range_map map; /* values are indices into functions */
	bool lines_read, files_read;
	bool lines_too_long; /* and are not read */
	Dwarf_Lines *lines;  /* NULL: none */
	size_t n_lines;
	uint64_t lines_from; /* rows below this address are mixed with those of discarded code */
	Dwarf_Files *files;  /* of call_file; NULL: none */
};

void dwarf_unit_deinit(struct dwarf_unit *unit);
/* The function at ADDRESS, NULL if there is none. BUDGET as in struct die_ranges. */
struct unit_function *dwarf_unit_function(
	struct dwarf_unit *unit, uint64_t address, uint64_t *budget);
/* The names of FUNCTION, read when first asked for; they live as long as UNIT. */
const struct names *dwarf_unit_names(struct dwarf_unit *unit, struct unit_function *function);
/* Index of the innermost scope at ADDRESS in FUNCTION, UNIT_NO_SCOPE if there is none. */
uint32_t dwarf_unit_innermost(struct dwarf_unit *unit, struct unit_function *function,
	uint64_t address, uint64_t *budget);
/* A scope of FUNCTION with its fields filled. */
const struct unit_scope *dwarf_unit_scope(
	struct dwarf_unit *unit, struct unit_function *function, uint32_t index);

struct unit_line {
	const char *file; /* NULL: unknown; libdw's, may be relative to comp_dir */
	uint32_t line, column, discriminator;
};

/*
 * The row of the line table that covers ADDRESS; all zero if none does, or if it cannot be told
 * (ADDRESS below lines_from).
 */
struct unit_line dwarf_unit_line(struct dwarf_unit *unit, uint64_t address, uint64_t *budget);
