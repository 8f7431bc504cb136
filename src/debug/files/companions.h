/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that hold further parts of a file's debug info: split units (.dwo), packages of them
 * (.dwp), and what dwz moved to a shared file. Here is where they may be, and here they are opened;
 * whether one is of the right build is for those who read it.
 */
#pragma once

#include "debug/debug.h"
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
	const char *root; /* the directory that PATH is looked up in as if it were /, "": ours */
	char *path;
	const struct elf_image
		*by; /* the file that PATH was read from; NULL: the user chose it, or we */
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
 * For packages: the one that is given; beside the program and the holder with .dwp added to their names (or put for
 * .debug), and in the debug directories, also by build ID.
 */
void companions_dwp(const struct companions *companions, struct candidates *ret);
/*
 * For the file NAME that dwz wrote, with this ID (len 0: unknown): where NAME says, which may be
 * relative to the holder, then in the debug directories by ID and below .dwz.
 */
void companions_alt(const struct companions *companions, const char *name,
	const struct build_id *id, struct candidates *ret);

/* NULL: there is no ELF file there. */
struct elf_image *candidate_open(const struct candidate *candidate);
/* Adds the paths to a message: "/a/x.dwo, /b/x.dwo". */
void candidates_say(const struct candidates *candidates, struct text *text);
