/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes do, as the kernel tells it while it happens: perf events that count nothing and
 * carry fork, exec, comm, mmap and exit records (include/uapi/linux/perf_event.h). A ring buffer
 * for each CPU; what it says of all CPUs is handed out in order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/mapping.h"
#include "util/error.h"

enum task_kind {
	TASK_FORK,
	TASK_THREAD, /* a new thread of PID, which is its parent, too */
	TASK_EXEC,
	TASK_COMM,
	TASK_MAP,    /* executable */
	TASK_MOUNTS, /* the mount namespace, said at fork, unshare and setns */
	TASK_EXIT,   /* of the thread */
	TASK_LOST,   /* COUNT records */
};

struct task_event {
	enum task_kind kind;
	bool in_cgroup; /* it only says that the task that did this was in one of the cgroups then */
	uint64_t time;	/* ns, CLOCK_MONOTONIC */
	uint32_t pid, tid, parent;
	struct mapping mapping; /* MAP */
	uint64_t namespace;	/* MOUNTS: inode */
	uint64_t pid_namespace; /* MOUNTS: inode of the task's PID namespace */
	uint64_t count;		/* LOST */
	uint64_t
		since; /* LOST: of this CPU nothing was lost before, ns; 0: it is the first that it says */
	const char *name; /* EXEC, COMM */
};

struct s2l_perf_events;

/*
 * Follows the threads TIDS and what they start; N_TIDS == 0: everything. BUFFER is in bytes per
 * CPU, made a power of two of pages.
 */
struct error *perf_events_open(const uint32_t *tids, size_t n_tids, size_t buffer,
	struct s2l_perf_events **ret) must_check;
void perf_events_close(struct s2l_perf_events *events);
/*
 * What tasks do while they are in a cgroup (FD: its directory) or below it is said twice from
 * now on: once more with `in_cgroup`, right before or after. Only of fork, exec, namespaces and
 * exit; and only if everything is followed. False: the kernel cannot, or the cgroup is gone.
 */
bool perf_events_add_cgroup(struct s2l_perf_events *events, int fd, uint32_t number);
/* No more of the cgroup that was added with this NUMBER. */
void perf_events_drop_cgroup(struct s2l_perf_events *events, uint32_t number);
/* Waits until a buffer is half full, for TIMEOUT ms at most, or for a signal. */
void perf_events_wait(struct s2l_perf_events *events, int timeout);
/*
 * Makes room in the buffers, whose records perf_events_read() returns later. For whoever is busy
 * with something else. EVENTS may be NULL.
 */
void perf_events_take(struct s2l_perf_events *events);
/*
 * Gives HANDLE all that happened before the call to tasks that have an ID in this program's PID
 * namespace, in order of time: what a task does comes after the fork that made it. The event,
 * its name and path are valid during the call. Returns the time of the call, ns.
 */
uint64_t perf_events_read(struct s2l_perf_events *events,
	void (*handle)(void *context, const struct task_event *event), void *context);
