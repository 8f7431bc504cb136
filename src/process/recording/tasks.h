/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of one ID. Only the blocks that contain the ID are read. */
#pragma once

#include "process/recording/recording.h"

/*
 * Finds the rows of PID of CLASS (see row_class()): events ordered by time, others in file order.
 * Sets RET to the first row, valid until recording_forget(). Returns the number of rows; 0 if there
 * are none, or if some are damaged.
 */
size_t recording_rows(struct recording *recording, int64_t pid, enum row_kind class,
	const struct recorded_row **ret);
/* Returns true if there are rows of PID, damaged or not. */
bool recording_has(struct recording *recording, int64_t pid);
/* Returns the rows of process or thread ID in a recording in memory, to which more can be added. */
struct recorded_tasks *recording_tasks(struct recording *recording, int64_t id);
/* Frees these rows. */
void recording_forget_id(struct recording *recording, int64_t id);
/* Frees the rows of single IDs. */
void recording_forget(struct recording *recording);
/*
 * Sets RET to the children that PARENT forked in the next block that mentions it as a parent. AT is
 * the state of the search, 0 at first. Returns false if there are no more such blocks.
 */
bool recording_forks(struct recording *recording, int64_t parent, size_t *at, struct ids *ret);
/* Returns the inode of the innermost PID namespace of process or thread PID; 0 if not recorded. */
uint64_t recording_pid_namespace(struct recording *recording, int64_t pid);
/*
 * Returns the recorder's ID of the task that had ID INNER in a PID namespace at TIME (ns; 0 if
 * unknown). Returns -1 if there was none, or if TIME is unknown and there were several.
 */
int64_t recording_outer_pid(
	struct recording *recording, uint64_t namespace, int64_t inner, uint64_t time);
void recorded_tasks_deinit(struct recorded_tasks *tasks);
