/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds files by build ID in debug directories. */
#pragma once

#include <stdbool.h>

#include "model/build_id.h"
#include "util/vec.h"

struct debug_folder;

/* The directories that were searched, each read once. */
struct debug_folders VEC(struct debug_folder *);

/* Returns true to stop. BASE is the directory that PATH is in. */
typedef bool debug_folder_visitor(void *context, const char *path, const char *base);
/*
 * Calls VISIT with the paths under which the debug file with build ID ID may be stored: in each
 * directory of DIRS (NULL-terminated; NULL: none), then in debuginfod's cache CACHE (NULL: none).
 * Returns true if VISIT did.
 */
bool debug_folder_visit(const struct string_vec *dirs, const char *cache, const struct build_id *id,
	debug_folder_visitor *visit, void *context);
void debug_folders_deinit(struct debug_folders *folders);
/*
 * Calls VISIT with some of the files directly in the directories DIRS that have this build ID,
 * whatever their names are. ID may be padded with zeros, as in dumps. The first call for a
 * directory reads all its files, up to a limit. Returns true if VISIT did.
 */
bool debug_folders_visit(struct debug_folders *folders, const struct string_vec *dirs,
	const struct build_id *id, debug_folder_visitor *visit, void *context);
