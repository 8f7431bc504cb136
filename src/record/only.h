/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the processes to record (--only-cgroup, --only-pid-tree). A chosen process is recorded
 * until it exits, with everything it starts, even if they leave the cgroup. If its ID also belonged
 * to other processes, this is recorded too, so that readers do not confuse them.
 */
#pragma once

#include "process/follow/perf_events.h"
#include "record/state.h"

/* Reads options before events are opened. Returns an error if a cgroup or process is missing. */
struct error *record_only_begin(struct record_state *state) must_check;
/* Finds the processes to record after events were opened. */
void record_only_find(struct record_state *state);
void record_only_deinit(struct record_state *state);

/* Returns true if TASK is to be recorded. Events must be passed in order of time. */
bool record_only_takes(struct record_state *state, const struct task_event *task);
bool record_only_has(const struct record_state *state, uint32_t pid);
/* Notes that the mappings of PID were written. */
void record_only_looked(struct record_state *state, uint32_t pid);
/* Notes that a process or thread with this ID was found in /proc, before it is recorded. */
void record_only_claim(struct record_state *state, uint32_t id);
/* Looks for processes that no event of the round has reported. LOST: events were lost. */
void record_only_update(struct record_state *state, bool lost);
/* Returns in PID_RET a process whose mappings are to be written. Returns false if there is none. */
bool record_only_next(struct record_state *state, uint32_t *pid_ret);
