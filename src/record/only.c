// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/only.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/scan.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { IDS = 1 << 22 /* PID_MAX_LIMIT of include/linux/threads.h */ };
enum { LOOK_SHARE = 20 /* at most 1/LOOK_SHARE of the time goes to scans for moved processes */ };

/* Flags of an ID. */
enum {
	MEMBER = 1,	/* the process is recorded */
	KNOWN = 2,	/* its mappings were written, or are inherited from its parent */
	RECORDED = 4,	/* the last process or thread with this ID was recorded */
	OUTSIDE = 8,	/* an unrecorded one has had this ID since recording began */
	OUTSIDERS = 16, /* several unrecorded ones have had it */
	ENDED = 32,	/* its end was written after events were lost */
	SAID = 64,	/* the recording has a record that it became an unrecorded one's */
};

struct only_cgroup {
	struct cgroup cgroup;
	int fd; /* -1: it does not exist now */
	uint64_t inode;
	bool tagged; /* the kernel reports events in it */
};

struct record_only {
	uint8_t *flags; /* flags of each ID below IDS */
	uint64_t begun; /* ns: before the first event */
	struct VEC(struct only_cgroup) cgroups;
	struct record_tree tree;
	struct VEC(uint32_t) looks; /* processes whose mappings are to be written */
	/* ns: begin of losses not repaired yet; 0: none */
	uint64_t lost_since;
	uint64_t found;		   /* ns: end of record_only_find() */
	struct cgroup_pids listed; /* processes in the cgroups at LISTED_AT (ns) */
	uint64_t listed_at, next_list;
};

void record_only_deinit(struct record_state *state)
{
	struct record_only *only = state->only;

	if (!only)
		return;
	vec_each(cgroup, &only->cgroups) {
		free(cgroup->cgroup.path);
		cleanup_fd(&cgroup->fd);
	}
	vec_deinit(&only->cgroups);
	vec_deinit(&only->looks);
	vec_deinit(&only->listed);
	record_tree_deinit(&only->tree);
	free(only->flags);
	free(take(state->only));
}

static bool has(const struct record_only *only, uint32_t id, uint8_t flag)
{
	return id < IDS && only->flags[id] & flag;
}

static void set(struct record_only *only, uint32_t id, uint8_t flags)
{
	if (id < IDS)
		only->flags[id] |= flags;
}

static void unset(struct record_only *only, uint32_t id, uint8_t flags)
{
	if (id < IDS)
		only->flags[id] &= (uint8_t)~flags;
}

bool record_only_has(const struct record_state *state, uint32_t pid)
{
	return !state->only || has(state->only, pid, MEMBER);
}

void record_only_looked(struct record_state *state, uint32_t pid)
{
	if (state->only)
		set(state->only, pid, KNOWN);
}

/* Writes that ID is an unrecorded process's from TIME on. */
static void write_other(struct record_state *state, uint32_t id, uint64_t time)
{
	recorder_row(&state->recorder, ROW_THREAD, "", id, time);
	set(state->only, id, SAID);
}

/*
 * Notes that a recorded process or thread has ID. OTHERS is the flag if unrecorded ones that had it
 * before matter.
 */
static void claim(struct record_state *state, uint32_t id, uint8_t others)
{
	struct record_only *only = state->only;

	if (has(only, id, others)) {
		if (!has(only, id, SAID))
			write_other(state, id, only->begun);
		unset(only, id, OUTSIDE | OUTSIDERS);
	}
	unset(only, id, ENDED);
	set(only, id, RECORDED);
}

/*
 * Assumes that ID has not changed its owner since it was last seen. What the process ran before is
 * unknown, so it is assumed to be what it runs now, as for processes that ran before recording.
 */
void record_only_claim(struct record_state *state, uint32_t id)
{
	if (state->only)
		claim(state, id, OUTSIDERS);
}

/* Notes that ID belongs to an unrecorded process or thread from TIME on. */
static void give_away(struct record_state *state, uint32_t id, uint64_t time)
{
	struct record_only *only = state->only;

	if (has(only, id, RECORDED))
		write_other(state, id, time);
	unset(only, id, MEMBER | KNOWN | RECORDED);
	set(only, id, has(only, id, OUTSIDE) ? OUTSIDERS : OUTSIDE);
}

/* Records process PID from TIME on. What it ran before is unknown. */
static void enter(struct record_state *state, uint32_t pid, uint64_t time)
{
	struct record_only *only = state->only;

	/* 0: no ID in the recorder's PID namespace */
	if (!pid || has(only, pid, MEMBER))
		return;
	set(only, pid, MEMBER);
	record_only_claim(state, pid);
	recorder_row(&state->recorder, ROW_FORK, "", pid, time);
	vec_push(&only->looks, pid);
	state->processes++;
}

/* ---- events --------------------------------------------------------------------------------- */

/* Returns true if PID still runs in a cgroup for which the kernel reports no events. */
static bool is_in_untagged(const struct record_state *state, uint32_t pid)
{
	vec_each(cgroup, &state->only->cgroups) {
		auto_fd int fd = cgroup->fd < 0 || cgroup->tagged
					 ? -1
					 : procfs_open_process(state->options->proc_root, pid);

		if (fd >= 0 && cgroup_holds(&cgroup->cgroup, fd))
			return true;
	}
	return false;
}

static bool take_process(struct record_state *state, const struct task_event *task)
{
	struct record_only *only = state->only;

	/*
	 * A parent that was never seen may have started after the first scan, before events were
	 * opened, and exited before the second scan: assume that it is of a recorded tree.
	 */
	if (state->options->n_only_trees && task->parent && task->time < only->found &&
		!has(only, task->parent, MEMBER | OUTSIDE | OUTSIDERS))
		set(only, task->parent, MEMBER);
	if (!has(only, task->parent, MEMBER)) {
		give_away(state, task->pid, task->time);
		if (is_in_untagged(state, task->pid))
			enter(state, task->pid, task->time);
		return false;
	}
	claim(state, task->pid, OUTSIDE);
	unset(only, task->pid, KNOWN);
	set(only, task->pid, MEMBER | (has(only, task->parent, KNOWN) ? KNOWN : 0));
	if (!has(only, task->pid, KNOWN))
		vec_push(&only->looks, task->pid);
	return true;
}

bool record_only_takes(struct record_state *state, const struct task_event *task)
{
	struct record_only *only = state->only;

	if (!only)
		return true;
	if (task->kind == TASK_LOST) {
		uint64_t since = task->since > only->begun ? task->since : only->begun;

		if (!only->lost_since || since < only->lost_since)
			only->lost_since = since;
		return true;
	}
	if (task->in_cgroup) {
		/* who has an event in a cgroup is in it; at a fork that is the parent */
		if (task->kind != TASK_EXIT)
			enter(state, task->kind == TASK_FORK ? task->parent : task->pid,
				task->time);
		return false;
	}
	bool member = has(only, task->pid, MEMBER);
	if (task->kind == TASK_THREAD) {
		if (member)
			claim(state, task->tid, OUTSIDE);
		else
			give_away(state, task->tid, task->time);
		return member;
	}
	if (task->kind == TASK_FORK)
		return take_process(state, task);
	if (task->kind == TASK_EXEC && !member && is_in_untagged(state, task->pid))
		enter(state, task->pid, task->time);
	if (!has(only, task->pid, MEMBER))
		return false;
	/* skip the exit if nothing was written about the process */
	if (task->kind == TASK_EXIT)
		return has(only, task->pid, RECORDED);
	set(only, task->pid, RECORDED | (task->kind == TASK_EXEC ? KNOWN : 0));
	return true;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Opens cgroups that are new or were made anew, as at the restart of a service. */
static void open_cgroups(struct record_state *state)
{
	struct record_only *only = state->only;

	for (size_t i = 0; i < only->cgroups.len; i++) {
		struct only_cgroup *cgroup = &only->cgroups.data[i];
		const char *path = cgroup->cgroup.path;
		struct stat st;

		if (cgroup->fd >= 0 && (stat(path, &st) || st.st_ino != cgroup->inode)) {
			close(cgroup->fd);
			cgroup->fd = -1;
			if (state->events)
				perf_events_drop_cgroup(state->events, (uint32_t)i);
		}
		if (cgroup->fd >= 0 || (cgroup->fd = cgroup_open(path)) < 0)
			continue;
		cgroup->inode = fstat(cgroup->fd, &st) ? 0 : st.st_ino;
		cgroup->tagged = state->events &&
				 perf_events_add_cgroup(state->events, cgroup->fd, (uint32_t)i);
		state->untold += state->events && !cgroup->tagged;
		only->next_list = 0;
	}
}

void record_only_list(struct record_state *state)
{
	struct record_only *only = state->only;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!only || now < only->next_list)
		return;
	vec_each(cgroup, &only->cgroups)
		if (cgroup->fd >= 0)
			cgroup_processes(cgroup->fd, 0, &only->listed);
	only->listed_at = clock_ns(CLOCK_MONOTONIC);
	uint64_t pause = LOOK_SHARE * (only->listed_at - now);
	only->next_list = only->listed_at + (pause > SECOND ? pause : SECOND);
}

/*
 * Writes the end of recorded processes and threads that exited while events were lost. Unrecorded
 * ones may have their IDs now. A recording of all processes has at least the mappings of those;
 * here nothing else would be written.
 */
static void end_lost(struct record_state *state)
{
	struct record_only *only = state->only;

	for (uint32_t id = 1; id < IDS; id++) {
		if ((only->flags[id] & (RECORDED | ENDED)) != RECORDED)
			continue;
		auto_fd int fd = procfs_open_process(state->options->proc_root, id);
		uint64_t ticks = fd < 0 ? 0 : procfs_started(fd); /* 0: it is gone */
		/* the start is rounded up to a tick */
		if (!ticks || (ticks + 1) * CLOCK_TICK - clock_slept() >= only->lost_since)
			write_other(state, id, only->lost_since);
		if (ticks)
			continue;
		write_other(state, id, clock_ns(CLOCK_MONOTONIC));
		set(only, id, ENDED);
	}
	only->lost_since = 0;
}

/* Records children whose forks were lost, if their parents still run. */
static void find_lost_children(struct record_state *state)
{
	struct record_only *only = state->only;
	struct VEC(uint32_t) members = {};

	if (!state->options->n_only_trees)
		return;
	/* PIDs in the old snapshot may have been reused */
	record_tree_deinit(&only->tree);
	record_tree_look(&only->tree, state);
	for (uint32_t id = 0; id < IDS; id++)
		if (only->flags[id] & MEMBER)
			vec_push(&members, id);
	record_tree_add(&only->tree, members.data, members.len);
	vec_each_value(member, &only->tree.members)
		enter(state, member, clock_ns(CLOCK_MONOTONIC));
	vec_deinit(&members);
}

void record_only_update(struct record_state *state, bool lost)
{
	struct record_only *only = state->only;

	if (!only || record_checkpoint(state))
		return;
	if (lost) {
		end_lost(state);
		find_lost_children(state);
		only->next_list = 0;
	}
	open_cgroups(state);
	vec_each_value(pid, &only->listed)
		enter(state, pid, only->listed_at);
	only->listed.len = 0;
}

bool record_only_next(struct record_state *state, uint32_t *pid_ret)
{
	struct record_only *only = state->only;

	while (only && only->looks.len) {
		*pid_ret = only->looks.data[--only->looks.len];
		if (has(only, *pid_ret, MEMBER) && !has(only, *pid_ret, KNOWN))
			return true;
	}
	return false;
}

/* ---- beginning ------------------------------------------------------------------------------ */

struct error *record_only_begin(struct record_state *state)
{
	const struct record_options *options = state->options;

	if (!options->n_only_cgroups && !options->n_only_trees)
		return NULL;
	state->only = xnew(state->only);
	state->only->flags = xcalloc(IDS, 1);
	state->only->begun = clock_ns(CLOCK_MONOTONIC);
	array_each(only_cgroup, options->only_cgroups, options->n_only_cgroups) {
		struct only_cgroup cgroup = {.fd = -1};
		const char *given = *only_cgroup;
		struct stat st;

		try(cgroup_find(options->sys_root, given, &cgroup.cgroup));
		const char *path = cgroup.cgroup.path;
		auto_fd int fd = cgroup_open(path);
		vec_push(&state->only->cgroups, cgroup);
		if (fd == -ENOENT)
			return error_create(ERROR_INPUT,
				"--only-cgroup=%s: no such cgroup: %s does not "
				"exist",
				given, path);
		if (fd == -ENOTDIR)
			return error_create(ERROR_INPUT,
				"--only-cgroup=%s: %s is not a cgroup of version 2", given, path);
		if (fd < 0 || fstat(fd, &st))
			return error_errno(fd < 0 ? -fd : errno, "--only-cgroup=%s", given);
	}
	if (options->n_only_trees)
		record_tree_look(&state->only->tree, state);
	array_each(only_tree, options->only_trees, options->n_only_trees)
		if (!record_tree_has(&state->only->tree, *only_tree))
			return error_create(
				ERROR_INPUT, "--only-pid-tree=%u: no such process", *only_tree);
	return NULL;
}

/*
 * Marks the threads of unrecorded processes that began before UNTIL (ns of CLOCK_BOOTTIME) as
 * outside. Later ones have events.
 */
static void give_away_rest(struct record_state *state, uint64_t until)
{
	const char *proc_root = state->options->proc_root;
	scope_guard(procfs_close_dir) DIR *all = opendir(proc_root);
	uint32_t pid, tid;

	while (all && procfs_next_id(all, &pid) && !record_checkpoint(state)) {
		if (has(state->only, pid, MEMBER))
			continue;
		auto_fd int fd = procfs_open_process(proc_root, pid);
		scope_guard(procfs_close_dir) DIR *tasks =
			fd < 0 ? NULL : procfs_open_dir(fd, "task");
		if (!tasks || procfs_started(fd) * CLOCK_TICK > until)
			continue;
		while (procfs_next_id(tasks, &tid))
			set(state->only, tid, OUTSIDE);
	}
}

void record_only_find(struct record_state *state)
{
	const struct record_options *options = state->options;
	struct record_only *only = state->only;
	uint64_t opened = clock_ns(CLOCK_BOOTTIME);

	if (!only)
		return;
	open_cgroups(state);
	if (options->n_only_trees) {
		record_tree_look(&only->tree, state);
		record_tree_add(&only->tree, options->only_trees, options->n_only_trees);
		record_tree_add_doubtful(&only->tree, options->only_trees, options->n_only_trees);
	}
	vec_each_value(member, &only->tree.members)
		set(only, member, MEMBER);
	record_only_list(state);
	vec_each_value(pid, &only->listed)
		set(only, pid, MEMBER);
	only->listed.len = 0;
	vec_each(row, &only->tree.before)
		if (!has(only, row->pid, MEMBER))
			set(only, row->pid, OUTSIDE);
	if (state->events)
		give_away_rest(state, opened);
	only->found = clock_ns(CLOCK_MONOTONIC);
}
