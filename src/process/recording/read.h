/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interprets the rows of a recording (man/stack2line-recording.5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/recording/recording.h"

/* Adds ROW, a row of the system, to RECORDING. Returns false if it is not understood. */
bool recording_read_row(struct recording *recording, const struct recorded_row *row);
/*
 * Adds ROW, a row of a process, to TASKS. Its file number is one of the source recording->source.
 * Returns false if it is not understood.
 */
bool recorded_tasks_read_row(
	struct recording *recording, struct recorded_tasks *tasks, const struct recorded_row *row);
/* Sorts TASKS after the last row. */
void recorded_tasks_finish(struct recorded_tasks *tasks);
void recorded_tasks_deinit(struct recorded_tasks *tasks);
