/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of one ID: the blocks that have it are read. */
#pragma once

#include "process/recording/recording.h"

/*
 * Finds the rows of PID of a class (row_class()), events by time and others in the order of the
 * file. Returns how many there are; RET is set to the first. They are valid until
 * recording_forget(). 0: it is not in the recording, or what is has been damaged.
 */
size_t recording_rows(struct recording *recording, int64_t pid, enum row_kind class,
	const struct recorded_row **ret);
/* Whether something is recorded of PID, damaged or not. */
bool recording_has(struct recording *recording, int64_t pid);
/* What is known of ID, to be added to: of a recording in memory. ID is that of a process or thread. */
struct recorded_tasks *recording_tasks(struct recording *recording, int64_t id);
/* Forgets that. */
void recording_forget_id(struct recording *recording, int64_t id);
/* Forgets what was read of single IDs. */
void recording_forget(struct recording *recording);
/*
 * Sets RET to the processes that PARENT began in one block; AT is 0 at first. Returns false if it
 * began none in further blocks.
 */
bool recording_forks(struct recording *recording, int64_t parent, size_t *at, struct ids *ret);
/* The PID namespace of process or thread PID, 0: not recorded. */
uint64_t recording_pid_namespace(struct recording *recording, int64_t pid);
/*
 * The recorder's number of the task that was INNER in a PID namespace at TIME (ns; 0: unknown).
 * -1: there was none, or several were and the time does not tell.
 */
int64_t recording_outer_pid(
	struct recording *recording, uint64_t namespace, int64_t inner, uint64_t time);
