/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of which only the build ID is known: who has it, and who vouches for that. */
#pragma once

#include "object/object_cache.h"

/*
 * Begins to fetch what the two functions below will want and have not: the file of MAPPING, or
 * (MAPPING NULL) the one with build ID ID. Without it they fetch one file after the other.
 */
void object_prefetch_by_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/*
 * The object with this build ID (as dumped, perhaps zero-padded). An ID is a claim that anybody can
 * make: the files of -e come first, then what process PID (-1: unknown) has mapped itself, files
 * that root vouches for, the places that file programs by ID, and last what others have mapped;
 * with a PID that is doubtful. Never NULL.
 */
struct object *object_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id);
/* The same for any process, but a separate debug file will do. */
struct object *object_of_debug_id(
	struct object_cache *cache, struct space_cache *spaces, const struct build_id *id);
/* Tells LOG which files of one build ID differ. */
void object_cache_notes(const struct object_cache *cache, struct log *log);
