/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the memory of a stream. Between batches, if there are many objects, it drops those that no
 * address was resolved to since the last time, with their files and the trust domains left empty.
 * If needed, they are found again.
 */
#pragma once

#include <stdbool.h>

#include "object/object_cache.h"

/* Returns true if the cache is over its limits, so that objects should be chosen and dropped. */
bool object_cache_is_full(struct object_cache *cache);
/* Marks the objects to drop. */
void object_cache_choose(struct object_cache *cache);
/* Frees the marked objects, and renumbers the others in the same order. */
void object_cache_drop(struct object_cache *cache);
/* Drops lookup results, but no objects, if there are very many. To be called before each batch. */
void object_cache_forget_keys(struct object_cache *cache);
/* Sets the limit for mapped build IDs, at least to twice the current number. */
void object_cache_allow_mapped(struct object_cache *cache);
