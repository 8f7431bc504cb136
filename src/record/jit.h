/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JIT compilers' files of the processes that are recorded. A process that has memory with code
 * is watched: its /tmp and its files are kept open, so that what it wrote last can be read when it
 * and its container have gone.
 */
#pragma once

#include <stdint.h>

#include "process/mapping.h"

struct record_state;

/*
 * PID has mapped MAPPING at TIME (ns): it may become one to watch. DIR_FD is /proc/PID, -1: to be
 * opened. Events of several CPUs do not come in order, so that each tells its time.
 */
void record_jit_mapping(struct record_state *state, uint32_t pid, uint64_t time, int dir_fd,
	const struct mapping *mapping);
/* PID was forked from PARENT and has its code. */
void record_jit_fork(struct record_state *state, uint32_t pid, uint64_t time, uint32_t parent);
/* PID ran another program or ended at TIME (ns): what it wrote until then is recorded. */
void record_jit_end(struct record_state *state, uint32_t pid, uint64_t time);
/* Records what was written since; not more often than every 200 ms unless LAST. */
void record_jit_update(struct record_state *state, bool last);
/* For a new segment, which begins at TIME (ns): records what is known once more. */
void record_jit_again(struct record_state *state, uint64_t time);
void record_jit_deinit(struct record_state *state);
