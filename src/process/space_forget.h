/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which spaces a long run keeps. */
#pragma once

#include "process/space.h"

/*
 * Whether there are so many spaces, or so large ones, that space_cache_forget() should be called: it
 * forgets those that were not asked for in this or the last round, processes that are gone first. They
 * are read again when they are asked for again.
 */
bool space_cache_is_full(struct space_cache *cache);
void space_cache_forget(struct space_cache *cache);
