/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets only one process at a time clear a map, because two would print entries twice. The lock is
 * on one byte, at the map's ID, of a file that only root can open; it ends with the process.
 */
#pragma once

#include "input/live/map.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Locks MAP for --clear. Opens the file if FD is -1; the caller closes FD. Fails if another process
 * has the lock. If the file cannot be opened or locked, warns in LOG and succeeds.
 */
struct error *live_lock(const struct live_map *map, int *fd, struct log *log) must_check;
