/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A look at a file before libelf has it: libelf allocates for each section header that the file
 * claims, and searches string tables from their ends. A file of 20 KB can claim terabytes, as long
 * as they lie in its holes.
 */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

/* Bytes of holes that a file may have: linkers and `cp --sparse` leave some. */
#define ELF_HOLES_MAX ((uint64_t)256 << 20)
/*
 * The same of what is no program (ET_REL: an object file, a package of split units), which can be
 * larger than 4 GiB, is mapped by no process, and of which sections are read by their index alone.
 */
#define ELF_HOLES_MAX_RELOCATABLE ((uint64_t)16 << 30)

/*
 * Why the regular file FD with ST is not given to libelf; NULL: nothing is in the way (it may still
 * be no ELF file). A constant string.
 */
const char *elf_check(int fd, const struct stat *st);
/* Bytes of FD that are in holes, or a number above MAX if there are more. */
uint64_t elf_check_holes(int fd, const struct stat *st, uint64_t max);
