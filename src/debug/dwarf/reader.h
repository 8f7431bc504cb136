/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads DWARF 2 to 5. tests/e2e/readers_agree.test compares its answers with libdw's.
 *
 * For the search of split units (.dwo, .dwp) and dwz's files, see companions.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/answers.h"
#include "debug/debug.h"
#include "debug/dwarf/functions.h"
#include "debug/dwarf/split.h"
#include "debug/names/frame_names.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct variable {
	uint64_t address; /* ELF address; first, as sort key */
	uint64_t die;	  /* offset in .debug_info */
	struct unit *unit;
};

/* An inlined call. */
struct inlined_code {
	uint64_t address;  /* ELF address where it begins */
	uint32_t function; /* its number in `inlined_functions` */
};

struct dwarf_reader {
	struct dwarf *dwarf;
	struct splits splits;
	struct alt alt;
	const struct debug_options *options;
	struct arena *arena;
	struct table line_tables; /* offset → address of the table, 0 if broken */
	struct VEC(struct line_table *) owned_lines;
	struct VEC(struct variable) variables;	 /* all if VARIABLES_READ, sorted by address */
	struct VEC(struct inlined_code) inlined; /* all inlined calls if INLINED_READ */
	struct table inlined_functions;		 /* struct names → number */
	bool variables_read, inlined_read;
	struct scopes scratch;	 /* scopes of one address */
	const struct unit *last; /* unit of the last search, NULL if none */
	bool wanted;		 /* units_want() was called */
};

/*
 * Opens the DWARF of HOLDER, which is PROGRAM or its debug file. They, OPTIONS and ARENA (for
 * strings) must outlive the result. Returns NULL if there is no DWARF that this reader can read.
 */
struct dwarf_reader *dwarf_reader_create(const struct elf_image *program,
	const struct elf_image *holder, const struct debug_options *options, struct arena *arena);
/* Does the same for SECTIONS, without a file. Takes ownership of SECTIONS. */
struct dwarf_reader *dwarf_reader_create_from(
	struct sections *sections, const struct debug_options *options, struct arena *arena);
/* Adds a .dwo file or package, or dwz's file, without a search. Takes ownership of SECTIONS. */
void dwarf_reader_add_split(struct dwarf_reader *reader, struct sections *sections);
void dwarf_reader_add_alt(struct dwarf_reader *reader, struct sections *sections);
void dwarf_reader_destroy(struct dwarf_reader *reader);

/* Statistics of the DWARF. Strings live as long as the reader. */
struct dwarf_summary {
	uint64_t units;		 /* compilation units, without type units */
	uint16_t oldest, newest; /* DWARF versions, 0 if no units */
	/* among UNITS: skeletons, whose functions are in .dwo files */
	uint64_t split, split_missing;
	/* message about the first missing split unit, NULL if none is missing */
	const char *missing;
	bool needs_alt; /* dwz moved parts to another file */
	/* why dwz's file is missing, NULL if it is not, or is not needed */
	const char *alt_missing;
};

/* Counts units; opens all split units. */
struct dwarf_summary dwarf_reader_summary(struct dwarf_reader *reader);

/*
 * Finds the frames of ADDRESS (ELF address), allocated in FRAMES. Returns false if no unit covers
 * ADDRESS; RET then has no frames.
 */
bool dwarf_reader_find(struct dwarf_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret);

struct inlined_search {
	const char *word; /* name in any form that is printed */
	struct frame_names *names;
	void (*found)(void *context, uint64_t address); /* gets the ELF address of a call's code */
	void *context;
};

/*
 * Finds the inlined calls of functions by their names: they may have no symbol. The first search
 * reads all units.
 */
void dwarf_reader_find_inlined(struct dwarf_reader *reader, const struct inlined_search *search);
/*
 * Finds the variable that begins at ADDRESS (ELF address). Sets the names of RET, like a
 * function's, and the file and line of its declaration. Returns false if there is none.
 */
bool dwarf_reader_variable(struct dwarf_reader *reader, uint64_t address, struct frame *ret);
/*
 * Adds to RET the C prototype of frame number FRAME in dwarf_reader_find()'s answer for ADDRESS.
 * Returns false, and adds nothing, if there is none or its name is not NAME.
 */
bool dwarf_reader_prototype(struct dwarf_reader *reader, uint64_t address, size_t frame,
	const char *name, struct text *ret);
