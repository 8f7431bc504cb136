/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides which spaces a long run keeps. */
#pragma once

#include "process/space.h"

/*
 * Returns true if the spaces are so many or so large that space_cache_forget() should be called.
 * That drops spaces that were not requested in this or the previous round, exited processes first.
 * They are read again on request.
 */
bool space_cache_is_full(struct space_cache *cache);
void space_cache_forget(struct space_cache *cache);
