/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who had an ID when: the kernel gives the ID of a process or thread that has ended to another process
 * or thread: an ID of a recording is of one task after another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/recording.h"

struct recorded_task {
	uint32_t process;  /* of which it was a thread; the ID itself: it was that process */
	size_t first, end; /* of a process: its events, [first, end) of those of the ID */
	uint64_t begin;	   /* ns: it had the ID from then on at the latest; 0: always */
	uint64_t until;	   /* ns: the next task's begin; 0: the recording's end */
};

/* Zero-filled but for RECORDING is a walk through what is recorded of the ID that events are of. */
struct recorded_id {
	struct VEC(struct recorded_task) tasks; /* in order of time */
	struct history history;			/* address 0; `item`: the index of a task */
};

/* Reads who had ID. Empty: it is not in the recording. */
void recorded_id_read(struct recording *recording, int64_t id, struct recorded_id *ret);
void recorded_id_deinit(struct recorded_id *id);
/*
 * The task at TIME (ns; 0 or outside the recording: unknown). NULL: none, or AMBIGUOUS: it is
 * not known which of several.
 */
const struct recorded_task *recorded_id_at(const struct recording *recording,
	const struct recorded_id *id, uint64_t time, bool *ambiguous);
/* TIME, or the recording's end if that is earlier: what was there last, which is to be doubted. NULL: TIME. */
uint64_t recorded_last_time(const struct recording *recording, uint64_t time);
/* Returns true if the recording was not complete up to TIME (ns) when it was read. */
bool recorded_is_after(const struct recording *recording, uint64_t time);
/*
 * When the process began that EVENT, its first, is of (ns of CLOCK_MONOTONIC), as far as the
 * recording or /proc said; 0: unknown.
 */
uint64_t recorded_start(const struct recording *recording, const struct recorded_row *event);
