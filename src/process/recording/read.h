/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rows of a recording mean (man/stack2line-recording.5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/recording/recording.h"

/* Reads ROW, of the system. False: not understood. */
bool recording_read_row(struct recording *recording, const struct recorded_row *row);
/* Adds ROW, of a process, to TASKS; files have the numbers that recording->source gave. False: not understood. */
bool recorded_tasks_read_row(
	struct recording *recording, struct recorded_tasks *tasks, const struct recorded_row *row);
/* After the last row. */
void recorded_tasks_finish(struct recorded_tasks *tasks);
void recorded_tasks_deinit(struct recorded_tasks *tasks);
