/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which process or thread had an ID at a given time. The kernel reuses the IDs of processes and
 * threads that have exited, so a recorded ID belongs to one task after another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/recording.h"

struct recorded_task {
	uint32_t process;  /* the process it is a thread of; the ID itself if it is a process */
	size_t first, end; /* indexes of its events among those of the ID, if it is a process */
	uint64_t begin;	   /* ns; it had the ID from then on at the latest; 0: always */
	uint64_t until;	   /* ns; when the next task got the ID; 0: the end of the recording */
};

/*
 * Returns the task that had ID at TIME (ns; unknown if 0 or outside the recording), valid until
 * recorded_ids_forget(). Returns NULL if there is none. If several are possible, returns NULL and
 * sets AMBIGUOUS.
 */
const struct recorded_task *recorded_task_at(
	struct recording *recording, int64_t id, uint64_t time, bool *ambiguous);
void recorded_ids_forget(struct recording *recording);
/*
 * Returns the earlier of TIME and the recording's end; TIME if RECORDING is NULL. If it is the end,
 * results are uncertain: they are the last known ones.
 */
uint64_t recorded_last_time(const struct recording *recording, uint64_t time);
/*
 * Returns when the process whose first event is EVENT started, in ns of CLOCK_MONOTONIC. Returns 0
 * if neither the recording nor /proc had the time.
 */
uint64_t recorded_start(const struct recording *recording, const struct recorded_row *event);
