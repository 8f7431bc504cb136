/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds files by build ID in debug directories. */
#pragma once

#include <stddef.h>

#include "model/build_id.h"
#include "util/vec.h"

struct debug_folder;

struct debug_folders {
	/* the directories that were searched, each read once */
	struct VEC(struct debug_folder *) all;
};

/*
 * Returns path number N (from 0) under which the debug file with build ID ID may be stored,
 * malloc'ed: first in each directory of DIRS (NULL-terminated; NULL: none), then in debuginfod's
 * cache CACHE (NULL: none). BASE_RET receives the directory. Returns NULL if there are no more.
 */
char *debug_folder_path(const char *const *dirs, const char *cache, const struct build_id *id,
	size_t n, const char **base_ret);
void debug_folders_deinit(struct debug_folders *folders);
/*
 * Returns the path of file NUMBER (from 0) directly in the directory DIR that has this build ID, or
 * NULL if there are no more. ID may be padded with zeros, as in dumps. The path is owned by
 * FOLDERS. The first call for a directory reads all its files, up to a limit.
 */
const char *debug_folder_find(
	struct debug_folders *folders, const char *dir, const struct build_id *id, size_t number);
