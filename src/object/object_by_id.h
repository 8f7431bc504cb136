/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds objects of which only the build ID is known. */
#pragma once

#include "object/object_cache.h"
#include "util/log.h"

/*
 * Starts the download of the file with build ID ID if the functions below would not find it here.
 * Without this, files are downloaded one after the other.
 */
void object_prefetch_by_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/*
 * Returns the object with this build ID, which may be zero-padded as in dumps. Never NULL. Anybody
 * can copy a build ID into another file, so the order is: files of -e; files that process PID (-1:
 * unknown) has mapped; mapped files that only root could have written; directories and caches that
 * file programs by build ID; files mapped by other processes, which are doubtful if another user
 * could have written them; downloads.
 */
struct object *object_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/* Returns the same for any process, but also accepts a separate debug file. */
struct object *object_of_debug_id(
	struct object_cache *cache, struct space_cache *spaces, const struct build_id *id);
/* Warns in LOG of different files that have the same build ID. */
void object_cache_notes(const struct object_cache *cache, struct log *log);
