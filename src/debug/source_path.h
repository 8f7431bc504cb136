/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of source files as they are printed. */
#pragma once

#include "util/arena.h"
#include "util/table.h"

/* Paths made so far, each once. Zero-filled is empty. */
struct source_paths {
	struct table table; /* addresses of both strings to the address of the result */
};

void source_paths_deinit(struct source_paths *paths);
/*
 * PATH as libdw gives it: absolute, or relative to the compilation directory COMP_DIR (NULL:
 * unknown), made absolute as far as that is. A path that already begins with COMP_DIR stays as it
 * is: in DWARF 5 files in the compilation directory carry it even where it is relative itself
 * ("./stdlib" in Debian's glibc). Both strings must stay at their addresses while PATHS is used;
 * the result is in ARENA or PATH itself.
 */
const char *source_path(
	struct source_paths *paths, struct arena *arena, const char *comp_dir, const char *path);
/*
 * Returns PATH in the directory DIR, which is not empty, in ARENA; PATH itself if that would be too
 * long.
 */
const char *source_path_join(struct arena *arena, const char *dir, const char *path);
/* PATH without COMP_DIR (NULL: unknown) before it, where it begins with that. */
const char *source_path_relative(const char *comp_dir, const char *path);
