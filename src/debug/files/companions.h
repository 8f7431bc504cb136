/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens debug and source files, and finds those that hold further parts of a file's debug info:
 * split units (.dwo), packages of them (.dwp), and the shared file that dwz moved duplicates to.
 * Whether a candidate is of the right build is checked by its reader.
 *
 * If ROOT is not "", paths are resolved as if ROOT were /, and no link or ".." leads out of it;
 * this uses openat2 (Linux 5.6), without which nothing in ROOT is opened. Only regular files are
 * opened, and never by waiting on a FIFO or device.
 */
#pragma once

#include "debug/debug.h"
#include "model/build_id.h"
#include "object/elf_image.h"
#include "util/text.h"
#include "util/vec.h"

/* A file to look for, and the program whose frames it is to name. */
struct wanted_file {
	const char *root; /* "": our own root */
	const char *path;
	/*
	 * The file whose frames the wanted file is to name; NULL if the user named the wanted file
	 * itself. Everyone who could have written the wanted file must also have been able to write
	 * PROGRAM, or be root, ourselves, or the owner of ROOT or BASE: a matching build ID or CRC
	 * shows only that the files belong together.
	 */
	const struct elf_image *program;
	/*
	 * The directory of ours that contains the file, if we or the user chose it; NULL if PROGRAM
	 * names the path.
	 */
	const char *base;
};

/*
 * Opens WANTED for reading. If PROGRAM names the path, or it is in another root, opens it with the
 * rights of those who could have written PROGRAM, and of those who could have placed a symbolic
 * link on the way, so that they cannot make us read what they may not read. In that case also
 * refuses files of /proc, /sys and the like, because reading some of them has side effects.
 * LINKS_RET (may be NULL) gets those who could have placed a link. Returns -1 with errno set on
 * failure (EACCES if they may not read the file).
 */
int wanted_open(const struct wanted_file *wanted, struct writers *links_ret);
/*
 * Opens WANTED like wanted_open(), as an ELF image whose path is ROOT + PATH. Returns NULL on
 * failure, with the reason in WHY_RET (malloc'ed; may be NULL).
 */
struct elf_image *wanted_open_elf(const struct wanted_file *wanted, char **why_ret);
/*
 * Returns true if no ".." in the relative PATH leads above the directory that PATH is appended to.
 * Symbolic links are not resolved.
 */
bool path_stays_below(const char *path);
/* Returns PATH as seen from ROOT, if it is below that, else PATH. */
const char *path_below_root(const char *path, const char *root);

struct companions {
	const struct elf_image *program; /* the file that the addresses belong to */
	const struct elf_image *holder;	 /* the file with the DWARF: PROGRAM, or its debug file */
	const struct debug_options *options;
};

struct candidate {
	struct wanted_file file; /* its path is owned */
	/* why it could not be opened; owned, NULL if it was not tried or succeeded */
	char *why;
};

/* Files to try, in this order, without duplicates. */
struct candidates VEC(struct candidate);

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

/* Adds the paths to a message: "/a/x.dwo, /b/x.dwo (Permission denied)". */
void candidates_say(const struct candidates *candidates, struct text *text);
