/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process at a time clears a map: two would print each entry twice. The lock is a byte of a
 * file that only root can open, at the map's ID; it ends with the process.
 */
#pragma once

#include "input/live/map.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Locks MAP for --clear by the file of FD (-1: it is opened; the caller's to close). Fails if
 * another process has it; where there is no such file LOG is told.
 */
struct error *live_lock(const struct live_map *map, int *fd, struct log *log) must_check;
