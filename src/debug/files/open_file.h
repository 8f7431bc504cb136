/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening debug and source files. With a ROOT that is not "", a path is looked up as if ROOT were
 * /, and no link or ".." leads out of it (openat2, Linux 5.6; without it nothing is opened). Only
 * regular files are, without waiting on a FIFO or device.
 */
#pragma once

#include "object/elf_image.h"

/* A place where a file may be, and whose frames that is to name. */
struct wanted_file {
	const char *root; /* "": ours */
	const char *path;
	/*
	 * The file whose frames it is to name, NULL: the user named the wanted file itself. Who could not
	 * have written the one, nor owns BASE or ROOT, must not have written the other: a build ID or a
	 * CRC shows only that they belong together.
	 */
	const struct elf_image *program;
	const char *
		base; /* a directory of ours that the user or we chose; NULL: PROGRAM has the path */
};

/*
 * Opens WANTED for reading. A path that PROGRAM has, or one in another root, is opened with the
 * rights of who could have written that, and of who could have put a link on the way: nothing else
 * may be read on their word, nor files of /proc, /sys and the like, of which some change when they
 * are read. LINKS_RET (may be NULL): the latter. -1 with errno set (EACCES: not theirs to read).
 */
int wanted_open(const struct wanted_file *wanted, struct writers *links_ret);
/*
 * The same as an ELF image, whose path is ROOT + PATH. NULL, with the reason in WHY_RET (malloc'ed;
 * may be NULL).
 */
struct elf_image *wanted_open_elf(const struct wanted_file *wanted, char **why_ret);
/* True if the relative PATH stays below where it is put: no ".." leads out, whatever links do. */
bool path_stays_below(const char *path);
