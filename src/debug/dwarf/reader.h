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

#include "debug/debug.h"
#include "debug/dwarf/inlined.h"
#include "debug/files/sections.h"
#include "debug/answers.h"
#include "object/elf_image.h"
#include "util/arena.h"
#include "util/text.h"

struct dwarf_reader;

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

/* Returns the failed download of dwz's file, NULL if none failed. */
struct fetch *dwarf_reader_fetch_failed(const struct dwarf_reader *reader);
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
void dwarf_reader_summary(struct dwarf_reader *reader, struct dwarf_summary *ret);
/* Returns why sections were not inflated (debug/files/sections.h), NULL if none was refused. */
const char *dwarf_reader_refused(const struct dwarf_reader *reader);

/*
 * Announces these addresses, sorted, which may then be resolved in any order. Optional: compressed
 * sections are then inflated in one pass. Keeps the parts of them that the addresses need.
 */
void dwarf_reader_want(struct dwarf_reader *reader, const uint64_t *addresses, size_t n);

/*
 * Sorts WHICH, the indices of N sorted addresses, into the best order for resolving. Compressed
 * sections are then inflated in one pass, and little of them is kept.
 */
void dwarf_reader_order(
	struct dwarf_reader *reader, const uint64_t *addresses, size_t *which, size_t n);

/*
 * Finds the frames of ADDRESS (ELF address), allocated in FRAMES. Returns false if no unit covers
 * ADDRESS; RET then has no frames.
 */
bool dwarf_reader_find(struct dwarf_reader *reader, uint64_t address, struct arena *frames,
	struct reader_answer *ret);
/* Finds the inlined calls of a function (debug/dwarf/inlined.h). */
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
