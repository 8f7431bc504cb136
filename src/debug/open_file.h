/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening debug files at paths that an untrusted file may have named. */
#ifndef DEBUG_OPEN_FILE_H
#define DEBUG_OPEN_FILE_H

#include "object/elf_image.h"

/*
 * Opens the regular file PATH for reading, without waiting on a FIFO or device. With a ROOT that
 * is not "", PATH is looked up as if ROOT were /, and no link or ".." leads out of it (openat2,
 * Linux 5.6; without it nothing is opened). Returns -1 with errno set.
 */
int open_file(const char *root, const char *path);
/* Opens PATH below ROOT as an ELF image whose path is ROOT + PATH; NULL if it is none. */
struct elf_image *open_elf(const char *root, const char *path);

#endif
