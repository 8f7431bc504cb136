/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug directories that simply hold ELF files: which build each of them is of. */
#pragma once

#include <stddef.h>

#include "model/build_id.h"
#include "util/vec.h"

struct debug_folder;

/* Zero-filled is empty. */
struct debug_folders {
	struct VEC(struct debug_folder *) all; /* those that were asked for, each read once */
};

/*
 * The path where the debug file with the build ID is filed: in the directory number N (from 0) of
 * DIRS (NULL-terminated; NULL: none), after those in CACHE (debuginfod's; NULL: none). Malloc'ed;
 * BASE_RET gets the directory. NULL: no more.
 */
char *debug_folder_path(const char *const *dirs, const char *cache, const struct build_id *id,
	size_t n, const char **base_ret);
void debug_folders_deinit(struct debug_folders *folders);
/*
 * The path of file NUMBER (from 0) right in the directory DIR that has this build ID, which may be
 * padded with zeros as dumps have it; owned by FOLDERS. NULL: there are no more. What is in the
 * directory is looked at when it is first asked for, as far as files go that one run may look at.
 */
const char *debug_folder_find(
	struct debug_folders *folders, const char *dir, const struct build_id *id, size_t number);
