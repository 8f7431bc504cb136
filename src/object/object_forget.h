/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream sees files come and go as long as it runs. Between batches, when there are many: objects
 * that no place was in since the last time are forgotten, with their files and the trust domains
 * that are left empty. They are found again when they are asked for.
 */
#pragma once

#include <stdbool.h>

#include "object/object_cache.h"

/* Whether there is so much that objects should be chosen and dropped. */
bool object_cache_is_full(struct object_cache *cache);
/* Marks those that are to go as dropped. */
void object_cache_choose(struct object_cache *cache);
/* Frees them; the others are numbered anew, in the same order. */
void object_cache_drop(struct object_cache *cache);
/*
 * Forgets what was found out for very many processes or build IDs, but for the objects: to be
 * called before each batch.
 */
void object_cache_forget_keys(struct object_cache *cache);
/* Notes how much all processes have mapped: that many objects are not too many. */
void object_cache_allow_mapped(struct object_cache *cache);
