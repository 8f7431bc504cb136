/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of source files, in the form in which they are printed. */
#pragma once

#include "util/arena.h"

/*
 * Returns PATH, made absolute if possible. PATH is absolute or relative to the compilation
 * directory COMP_DIR (NULL if unknown), as from libdw. A path that begins with COMP_DIR is returned
 * unchanged: in DWARF 5 files in the compilation directory include it, even if it is relative
 * itself ("./stdlib" in Debian's glibc). The result is in ARENA, or is PATH or its tail.
 */
const char *source_path(struct arena *arena, const char *comp_dir, const char *path);
/*
 * Returns PATH in the directory DIR, allocated in ARENA. DIR must not be empty. Returns PATH itself
 * if the result would be too long.
 */
const char *source_path_join(struct arena *arena, const char *dir, const char *path);
/*
 * Returns the part of PATH after the directory COMP_DIR (NULL if unknown), or PATH if it is not in
 * COMP_DIR.
 */
const char *source_path_relative(const char *comp_dir, const char *path);
