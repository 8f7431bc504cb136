/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening debug and source files. With a ROOT that is not "", a path is looked up as if ROOT were /, and
 * no link or ".." leads out of it (openat2, Linux 5.6; without it nothing is opened). Only regular
 * files are, without waiting on a FIFO or device.
 */
#pragma once

#include "object/elf_image.h"

/* Opens PATH, which the user or we chose, for reading. -1 with errno set. */
int open_file(const char *root, const char *path);
/*
 * Opens PATH, which the file of BY names, with the rights of that file's owner: for nothing else may
 * be read on their word. Files of /proc, /sys and the like are not opened, of which some change when
 * they are read. -1 with errno set (EACCES: not the owner's to read).
 */
int open_named_file(const char *root, const char *path, const struct elf_image *by);
/* Opens PATH below ROOT as an ELF image whose path is ROOT + PATH; NULL if it is none. BY: NULL for a
 * path that the file does not name. */
struct elf_image *open_elf(const char *root, const char *path, const struct elf_image *by);
/* True if the relative PATH stays below where it is put: no ".." leads out, whatever links do. */
bool path_stays_below(const char *path);
