/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following maps of maps to the maps in them. */
#pragma once

#include <stdbool.h>

#include "input/live/map.h"
#include "util/error.h"

#define LIVE_INNER_MAX 256 /* maps; each is an open file */

/* Whether there is a map of maps among MAPS. */
bool live_inner_any(const struct live_maps *maps);
/*
 * Adds to MAPS what its maps of maps hold now, each map once, and drops what was added so before and
 * is not in them any more. The error says that there are too many, or what the kernel refused.
 */
struct error *live_inner_follow(struct live_maps *maps) must_check;
