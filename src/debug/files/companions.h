/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that hold further parts of a file's debug info: split units (.dwo), packages of them
 * (.dwp), and what dwz moved to a shared file. Here is where they may be, and here they are opened;
 * whether one is of the right build is for those who read it.
 */
#pragma once

#include "debug/debug.h"
#include "debug/files/open_file.h"
#include "model/build_id.h"
#include "object/elf_image.h"
#include "util/text.h"
#include "util/vec.h"

struct companions {
	const struct elf_image *program; /* which the addresses are of */
	const struct elf_image *holder;	 /* of the DWARF: the same or a separate debug file */
	const struct debug_options *options;
};

struct candidate {
	struct wanted_file file; /* its path is owned */
	char *why; /* there is no such ELF file that counts; owned, NULL: not opened, or there is */
};

/* Places to look at, in order, each once. Zero-filled is empty. */
struct candidates {
	struct VEC(struct candidate) all;
};

void candidates_deinit(struct candidates *candidates);
/*
 * For the .dwo file NAME of a unit compiled in COMP_DIR (NULL: unknown): there, first as
 * --substitute-path has it; then beside the holder and the program, with the directories in NAME
 * and without; then in the debug directories.
 */
void companions_dwo(const struct companions *companions, const char *comp_dir, const char *name,
	struct candidates *ret);
/*
 * For packages: the one that is given; beside the program and the holder with .dwp added to their
 * names (or put for .debug), and in the debug directories, also by build ID.
 */
void companions_dwp(const struct companions *companions, struct candidates *ret);
/*
 * For the file NAME that dwz wrote, with this ID (len 0: unknown): where NAME says, which may be
 * relative to the holder, then in the debug directories by ID and below .dwz.
 */
void companions_alt(const struct companions *companions, const char *name,
	const struct build_id *id, struct candidates *ret);

/* NULL: there is no ELF file there, or others than those of the program could have written it. */
struct elf_image *candidate_open(struct candidate *candidate);
/* Adds the paths to a message: "/a/x.dwo, /b/x.dwo (Permission denied)". */
void candidates_say(const struct candidates *candidates, struct text *text);
