/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of a process beside its mappings: who it is, in which namespaces, its threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

struct snapshot {
	uint64_t started;	      /* clock ticks since boot, 0: unknown */
	uint64_t namespace;	      /* inode of the mount namespace, 0: unknown */
	uint32_t levels;	      /* how many PID namespaces it has a number in, 0: unknown */
	struct VEC(uint32_t) threads; /* all of them */
};

/* DIR_FD is /proc/PID. What cannot be read stays empty. */
void snapshot_read(int dir_fd, struct snapshot *ret);
/* Its start time alone: clock ticks since boot, 0: unknown. */
uint64_t snapshot_started(int dir_fd);
/* Who its parent is, by /proc's number, 0: none that /proc shows. False: it is gone. */
bool snapshot_parent(int dir_fd, uint64_t *ret);
void snapshot_deinit(struct snapshot *snapshot);
