/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the processes to record (--only-cgroup, --only-pid-tree). A chosen process is recorded
 * until it exits, with everything it starts, even if they leave the cgroup. If its ID also belonged
 * to other processes, this is recorded too, so that readers do not confuse them.
 */
#pragma once

#include "process/follow/perf_events.h"
#include "record/state.h"

/* To be called before events are opened. Returns an error if a cgroup or process does not exist. */
struct error *record_only_begin(struct record_state *state) must_check;
/* Finds the processes to record. To be called after events were opened. */
void record_only_find(struct record_state *state);
void record_only_deinit(struct record_state *state);

/* Returns true if TASK is to be recorded. Events must be passed in order of time. */
bool record_only_takes(struct record_state *state, const struct task_event *task);
bool record_only_has(const struct record_state *state, uint32_t pid);
/* Notes that the mappings of PID were written. */
void record_only_looked(struct record_state *state, uint32_t pid);
/* To be called before a record is written of a process or thread ID that was found in /proc. */
void record_only_claim(struct record_state *state, uint32_t id);
/* After the events of a round: looks for processes that none reported. LOST: some were lost. */
void record_only_update(struct record_state *state, bool lost);
/* Returns in PID_RET a process whose mappings are to be written. Returns false if there is none. */
bool record_only_next(struct record_state *state, uint32_t *pid_ret);
