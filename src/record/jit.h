/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records perf maps and jitdumps of the recorded processes. A process that may have JIT code is
 * watched: its /tmp and these files are kept open, so that what it wrote last can be read after it
 * and its container have gone.
 */
#pragma once

#include <stdint.h>

#include "process/mapping.h"

struct record_state;

/*
 * Watches PID if its MAPPING, made at TIME (ns), may hold JIT code. DIR_FD is /proc/PID; -1: not
 * open. Calls need not be in order of TIME: older events may follow a look at /proc.
 */
void record_jit_mapping(struct record_state *state, uint32_t pid, uint64_t time, int dir_fd,
	const struct mapping *mapping);
/* Watches PID, forked at TIME (ns), if PARENT is watched: it has the same code. */
void record_jit_fork(struct record_state *state, uint32_t pid, uint64_t time, uint32_t parent);
/* Records what PID wrote until its exec or exit at TIME (ns) and stops watching it. */
void record_jit_end(struct record_state *state, uint32_t pid, uint64_t time);
/* Records what was written since the last call; at most every 200 ms unless LAST. */
void record_jit_update(struct record_state *state, bool last);
/* Records everything known again, for a segment that begins at TIME (ns). */
void record_jit_again(struct record_state *state, uint64_t time);
void record_jit_deinit(struct record_state *state);
