/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF 2 to 5 from its bytes: the fast reader, which knows what libdw_reader knows, and where it
 * cannot tell says so (DWARF_DECLINED) and leaves the address to that.
 *
 * Split units (.dwo, .dwp) and dwz's files are looked for where companions.h says. Limit:
 * little-endian files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/files/sections.h"
#include "debug/reader_answer.h"
#include "object/elf_image.h"
#include "util/arena.h"
#include "util/text.h"

struct dwarf_reader;

/*
 * Opens the DWARF of HOLDER, which is PROGRAM or its debug file; they, OPTIONS and ARENA (for
 * strings) must outlive the result. NULL: there is none, or none that this reader reads.
 */
struct dwarf_reader *dwarf_reader_create(const struct elf_image *program,
	const struct elf_image *holder, const struct debug_options *options, struct arena *arena);
/* The same over sections from elsewhere, which it takes. */
struct dwarf_reader *dwarf_reader_create_from(
	struct sections *sections, const struct debug_options *options, struct arena *arena);
/* Adds a .dwo file or package, or dwz's file, that was not looked for; takes SECTIONS. */
void dwarf_reader_add_split(struct dwarf_reader *reader, struct sections *sections);
void dwarf_reader_add_alt(struct dwarf_reader *reader, struct sections *sections);
void dwarf_reader_destroy(struct dwarf_reader *reader);

/* The download of dwz's file that brought nothing; NULL: it did, or there was none. */
struct fetch *dwarf_reader_fetch_failed(const struct dwarf_reader *reader);
/* What there is, in numbers. Strings live as long as the reader. */
struct dwarf_summary {
	uint64_t units;		       /* compilation units, type units not counted */
	uint16_t oldest, newest;       /* versions of DWARF; 0: none */
	uint64_t split, split_missing; /* of UNITS: those whose code's names are in .dwo files */
	const char *missing;	 /* what is said of the first that is missing; NULL: none is */
	bool needs_alt;		 /* dwz moved parts to another file */
	const char *alt_missing; /* why that is not to be had; NULL: it is, or is not needed */
};

/* Opens all split units. */
void dwarf_reader_summary(struct dwarf_reader *reader, struct dwarf_summary *ret);
/* Why sections were not inflated (debug/files/sections.h); NULL: none was refused. */
const char *dwarf_reader_refused(const struct dwarf_reader *reader);

/*
 * Gets ready for these addresses, sorted, which will be asked for in any order: not needed, but
 * compressed sections are then inflated in one pass. What these addresses need of them is kept.
 */
void dwarf_reader_want(struct dwarf_reader *reader, const uint64_t *addresses, size_t n);

/*
 * Puts WHICH, the indices of N sorted addresses, in the order in which they are best asked for:
 * then compressed sections are inflated in one pass, too, and little of them is kept.
 */
void dwarf_reader_order(
	struct dwarf_reader *reader, const uint64_t *addresses, size_t *which, size_t n);

enum dwarf_find {
	DWARF_ABSENT, /* no unit covers the address */
	DWARF_FOUND,
	DWARF_DECLINED, /* a unit covers it that another reader has to read */
};

/*
 * The frames are made in FRAMES. RET is set in all cases, as libdw_reader_find() does it; it has
 * frames only if FOUND.
 */
enum dwarf_find dwarf_reader_find(struct dwarf_reader *reader, uint64_t address,
	struct arena *frames, struct reader_answer *ret);
/*
 * The variable that begins at ADDRESS: sets the names of RET as of a function, and the file and
 * line of its declaration. False: none begins there.
 */
bool dwarf_reader_variable(struct dwarf_reader *reader, uint64_t address, struct frame *ret);
/*
 * Adds to RET the C prototype of the frame with this number of dwarf_reader_find()'s answer for
 * ADDRESS. False, and nothing is added: there is none, or its name is not NAME.
 */
bool dwarf_reader_prototype(struct dwarf_reader *reader, uint64_t address, size_t frame,
	const char *name, struct text *ret);
