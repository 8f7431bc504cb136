/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens debug and source files. If ROOT is not "", paths are resolved as if ROOT were /, and no
 * link or ".." leads out of it; this uses openat2 (Linux 5.6), without which nothing in ROOT is
 * opened. Only regular files are opened, and never by waiting on a FIFO or device.
 */
#pragma once

#include "object/elf_image.h"

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
