/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a file before libelf reads it. libelf allocates memory for each section header that the
 * file claims, and searches string tables backwards from their ends. A file of 20 KB on disk can
 * claim terabytes in its holes.
 */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

/* maximum bytes of holes in a file: linkers and `cp --sparse` leave some */
#define ELF_HOLES_MAX ((uint64_t)256 << 20)
/*
 * maximum for ET_REL: object files, and packages of split units, which can be larger than 4 GiB. No
 * process maps them, and only the sections named by their index are read.
 */
#define ELF_HOLES_MAX_RELOCATABLE ((uint64_t)16 << 30)

/*
 * Returns why the regular file FD with status ST must not be passed to libelf, a constant string,
 * or NULL if it may be. It may still not be an ELF file.
 */
const char *elf_check(int fd, const struct stat *st);
/* Returns the bytes of FD that are in holes, or a number above MAX if there are more than MAX. */
uint64_t elf_check_holes(int fd, const struct stat *st, uint64_t max);
