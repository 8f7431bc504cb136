/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports what processes do while it happens: perf events that count nothing, but carry fork, exec,
 * comm, mmap and exit records (include/uapi/linux/perf_event.h). Each CPU has a ring buffer; the
 * records of all CPUs are returned in order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/maps.h"
#include "util/error.h"

enum task_kind {
	TASK_FORK,
	TASK_THREAD, /* a new thread of PID; PARENT is PID too */
	TASK_EXEC,
	TASK_COMM,
	TASK_MAP,    /* an executable mapping */
	TASK_MOUNTS, /* mount namespace; reported by fork, unshare and setns */
	TASK_EXIT,   /* exit of a thread */
	TASK_LOST,   /* COUNT records were lost */
};

struct task_event {
	enum task_kind kind;
	/* true if the event only reports that its task was in one of the cgroups at TIME */
	bool in_cgroup;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	uint32_t pid, tid, parent;
	struct mapping mapping; /* MAP */
	uint64_t namespace;	/* MOUNTS: inode */
	uint64_t pid_namespace; /* MOUNTS: inode of the task's PID namespace */
	uint64_t count;		/* LOST */
	/* LOST: ns; none of this CPU's records were lost before; 0 if there was no record before */
	uint64_t since;
	const char *name; /* EXEC, COMM */
};

struct s2l_perf_events;

/*
 * Follows the threads TIDS and their descendants, or everything if N_TIDS is 0. BUFFER is the size
 * per CPU in bytes; it is rounded up to a power of two of pages.
 */
struct error *perf_events_open(const uint32_t *tids, size_t n_tids, size_t buffer,
	struct s2l_perf_events **ret) must_check;
void perf_events_close(struct s2l_perf_events *events);
/*
 * Reports events of tasks in a cgroup or below it (CGROUP_FD: its directory) twice from now on: a
 * second time with `in_cgroup`, right before or after. Applies to fork, exec, namespaces and exit,
 * and only if everything is followed. NUMBER identifies the cgroup. Returns false if the kernel
 * does not support it, or if the cgroup is gone.
 */
bool perf_events_add_cgroup(struct s2l_perf_events *events, int cgroup_fd, uint32_t number);
/* Stops reporting the cgroup that was added as NUMBER. */
void perf_events_drop_cgroup(struct s2l_perf_events *events, uint32_t number);
/* Waits until a buffer is half full, at most TIMEOUT ms, or until a signal. */
void perf_events_wait(struct s2l_perf_events *events, int timeout);
/*
 * Empties the buffers, so that they do not overflow during other work; perf_events_read() returns
 * the records later. EVENTS may be NULL.
 */
void perf_events_take(struct s2l_perf_events *events);
/*
 * Calls HANDLE for all events before the call, of tasks that have an ID in this program's PID
 * namespace. The order is by time: the fork that creates a task comes before the task's own events.
 * An event, its name and its path are valid during the call of HANDLE. Returns the time of the call
 * of this function, ns.
 */
uint64_t perf_events_read(struct s2l_perf_events *events,
	void (*handle)(void *context, const struct task_event *event), void *context);
/*
 * Returns true if the process PID mapped the file INODE (0: anything) after TIME (ns), by an event
 * that was not handled yet.
 */
bool perf_events_map_since(
	struct s2l_perf_events *events, uint32_t pid, uint64_t inode, uint64_t time);
