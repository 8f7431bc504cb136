/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a recording that are lines (man/stack2line-recording.5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/recording/recording.h"
#include "util/scan.h"

/* A line of any kind; TASKS is for those of processes, NULL: there are none. False: not understood. */
bool recording_read_line(
	struct recording *recording, struct recorded_tasks *tasks, struct scan line);
/* A line of a process beside its events, if it is of PID (-1: of any). */
bool recording_read_task_line(struct recorded_tasks *tasks, struct scan line, int64_t pid);
/* The file that recording->source gave NUMBER. False: none. */
bool recording_file_number(const struct recording *recording, uint32_t number, uint32_t *ret);
/* TIME (ns) is within the recording. */
void recording_note_time(struct recording *recording, uint64_t time);
/* Brings the losses in order, after the last line. */
void recording_order_losses(struct recording *recording);
/* After the last line. */
void recorded_tasks_finish(struct recorded_tasks *tasks);
void recorded_tasks_deinit(struct recorded_tasks *tasks);
