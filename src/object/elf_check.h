/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a file before libelf reads it. libelf allocates memory for each section header that the
 * file claims, and searches string tables backwards from their ends. A file of 20 KB on disk can
 * claim terabytes in its holes.
 */
#pragma once

#include <sys/stat.h>

/*
 * Returns why the regular file FD with status ST must not be passed to libelf, a constant string,
 * or NULL if it may be. It may still not be an ELF file.
 */
const char *elf_check(int fd, const struct stat *st);
