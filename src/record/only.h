/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the processes to record (--only-cgroup, --only-pid-tree). A chosen process is recorded
 * until it exits, with everything it starts, even if they leave the cgroup. If its ID also belonged
 * to other processes, this is recorded too, so that readers do not confuse them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/follow/perf_events.h"
#include "record/record_state.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vec.h"

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
/*
 * Lists the processes in the cgroups, at most once a second: no event reports those that are moved
 * into one. Call it before events are read, so that what a listed process did before is known when
 * record_only_update() adds those that no event has reported.
 */
void record_only_list(struct record_state *state);
/* Looks for processes that no event of the round has reported. LOST: events were lost. */
void record_only_update(struct record_state *state, bool lost);
/* Returns in PID_RET a process whose mappings are to be written. Returns false if there is none. */
bool record_only_next(struct record_state *state, uint32_t *pid_ret);

/* Cgroups of version 2 (cgroups(7)): directories of processes and of further cgroups. */

struct cgroup {
	char *path; /* path of the directory; owned */
	/* in PATH, as in /proc/PID/cgroup: "/system.slice/ssh.service"; of the root "" */
	const char *name;
};

/*
 * Finds the cgroup GIVEN by the user: a name as above, with or without the first slash, or a path
 * below SYS_ROOT/fs/cgroup. It need not exist. Returns an error if the system has no cgroups of
 * version 2.
 */
struct error *cgroup_find(const char *sys_root, const char *given, struct cgroup *ret) must_check;
/* Opens a directory. Returns a negative errno on failure; -ENOTDIR: not a cgroup of version 2. */
int cgroup_open(const char *path);
struct cgroup_pids VEC(uint32_t);
/*
 * Adds the processes in the cgroup and in those below it that are in this program's PID namespace.
 * FD stays open. DEPTH: levels below the first cgroup; callers pass 0.
 */
void cgroup_processes(int fd, int depth, struct cgroup_pids *ret);
/* Returns true if the process is in the cgroup or in one below it. DIR_FD is /proc/PID. */
bool cgroup_holds(const struct cgroup *cgroup, int dir_fd);

/* Finds descendants of processes in snapshots of /proc, while processes start and exit. */

struct tree_row {
	uint32_t pid, parent;
	uint64_t started; /* clock ticks since boot */
};
struct tree_rows VEC(struct tree_row);

struct record_tree {
	struct tree_rows before, now; /* last two snapshots, sorted by parent */
	struct VEC(uint32_t) members; /* PIDs that were added; some may have exited */
	struct table added;	      /* MEMBERS, for lookups */
};

void record_tree_deinit(struct record_tree *tree);
/* Takes a snapshot of all processes and keeps the one before. */
void record_tree_look(struct record_tree *tree, const struct record_state *state);
/* Returns true if PID is in the last snapshot. */
bool record_tree_has(const struct record_tree *tree, uint32_t pid);
/* Sets the members to the processes ROOTS and their descendants in either snapshot. */
void record_tree_add(struct record_tree *tree, const uint32_t *roots, size_t n);
/*
 * Adds possible orphans of the trees: processes that started after ROOTS, are now children of an
 * ancestor of a root, and had an unknown parent before. They look like children of init, or of
 * another process that adopts orphans.
 */
void record_tree_add_doubtful(struct record_tree *tree, const uint32_t *roots, size_t n);
