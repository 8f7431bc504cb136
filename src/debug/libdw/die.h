/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading DIEs through libdw, bounded: nothing here runs longer than in proportion to the file,
 * however broken its DWARF is.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "debug/reader_answer.h"

/* Deeper trees are cut; the deepest seen in real programs (Rust, inlined closures) is about 80. */
enum { DIE_DEPTH_MAX = 512 };

/* A place in a tree of DIEs. It only ever moves forward in the file. */
struct die_cursor {
	Dwarf_Die die;
	unsigned depth; /* below where it began, which is 0 */
};

/*
 * Moves to the next DIE in file order: with ENTER to the first child if there is one, else past
 * the children, and from the last sibling to what follows the parent. False when the DIEs at depth
 * 0 and their children are done, or broken.
 */
bool die_next(struct die_cursor *cursor, bool enter);

/* Of DIE or of what its abstract origins and specifications lead to. */
struct names die_names(Dwarf_Die *die);

/* An unsigned constant, 0 if DIE has none such. */
uint64_t die_number(Dwarf_Die *die, unsigned attribute);
/* A string attribute of DIE itself, NULL if it has none. */
const char *die_string(Dwarf_Die *die, unsigned attribute);

/*
 * The address ranges of a DIE. BUDGET is how many ranges may still be read at all: many DIEs can
 * name one long list.
 */
struct die_ranges {
	Dwarf_Die *die;
	uint64_t *budget;
	ptrdiff_t offset;
	Dwarf_Addr base;
};

/*
 * The next range [START, END). Ranges at 0, 1 and -1, where linkers leave discarded functions, are
 * skipped.
 */
bool die_ranges_next(struct die_ranges *ranges, uint64_t *start_ret, uint64_t *end_ret);
