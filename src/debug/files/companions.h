/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and opens the files that hold further parts of a file's debug info: split units (.dwo),
 * packages of them (.dwp), and the shared file that dwz moved duplicates to. Whether a candidate is
 * of the right build is checked by its reader.
 */
#pragma once

#include "debug/debug.h"
#include "debug/files/open_file.h"
#include "model/build_id.h"
#include "object/elf_image.h"
#include "util/text.h"
#include "util/vec.h"

struct companions {
	const struct elf_image *program; /* the file that the addresses belong to */
	const struct elf_image *holder;	 /* the file with the DWARF: PROGRAM, or its debug file */
	const struct debug_options *options;
};

struct candidate {
	struct wanted_file file; /* its path is owned */
	/* why candidate_open() failed; owned, NULL if it was not called or succeeded */
	char *why;
};

/* Files to try, in this order, without duplicates. */
struct candidates {
	struct VEC(struct candidate) all;
};

void candidates_deinit(struct candidates *candidates);
/*
 * Adds the candidates for the .dwo file NAME of a unit compiled in COMP_DIR (NULL: unknown): in
 * COMP_DIR, first as rewritten by --substitute-path; then beside the holder and the program, with
 * and without the directories in NAME; then in the debug directories.
 */
void companions_dwo(const struct companions *companions, const char *comp_dir, const char *name,
	struct candidates *ret);
/*
 * Adds the candidates for packages: the one given by the user; files beside the program and the
 * holder with .dwp appended to their names (or in place of .debug); and files in the debug
 * directories, also by build ID.
 */
void companions_dwp(const struct companions *companions, struct candidates *ret);
/*
 * Adds the candidates for the file NAME that dwz wrote, with this ID (len 0: unknown): NAME itself,
 * which may be relative to the holder or the program; in the debug directories, by ID and below
 * .dwz; last, beside the holder and the program without the directories in NAME.
 */
void companions_alt(const struct companions *companions, const char *name,
	const struct build_id *id, struct candidates *ret);

/*
 * Opens CANDIDATE; the result is the caller's to destroy. Returns NULL if it is no ELF file, or if
 * others than the writers of the program could have written it.
 */
struct elf_image *candidate_open(struct candidate *candidate);
/* Adds the paths to a message: "/a/x.dwo, /b/x.dwo (Permission denied)". */
void candidates_say(const struct candidates *candidates, struct text *text);
