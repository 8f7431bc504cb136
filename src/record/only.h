/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of all processes are recorded (--only-cgroup, --only-pid-tree). A process that once is stays
 * recorded to its end, with all that it starts, whatever cgroup they move to. That other processes had its
 * ID too is recorded, so that no reader takes them for the process.
 */
#pragma once

#include "process/follow/perf_events.h"
#include "record/state.h"

/* Before events are opened. The error is for what is not there. */
struct error *record_only_begin(struct record_state *state) must_check;
/* After that: finds who is to be recorded. */
void record_only_find(struct record_state *state);
void record_only_deinit(struct record_state *state);

/* Whether to record TASK, which is in order of time among others. */
bool record_only_takes(struct record_state *state, const struct task_event *task);
bool record_only_has(const struct record_state *state, uint32_t pid);
/* The mappings of PID were written. */
void record_only_looked(struct record_state *state, uint32_t pid);
/* To be called before a record of process or thread ID is written that /proc told of. */
void record_only_claim(struct record_state *state, uint32_t id);
/* After the events of a round: looks for what none of them told. LOST: some were lost. */
void record_only_update(struct record_state *state, bool lost);
/* Takes one whose mappings are to be written. False: there is none. */
bool record_only_next(struct record_state *state, uint32_t *pid_ret);
