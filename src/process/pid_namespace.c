// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/pid_namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/scan.h"

/* maximum number of entries, including those of exited processes */
enum { NUMBERS_MAX = 1 << 16 };

void pid_namespace_deinit(struct pid_namespace *pids)
{
	table_deinit(&pids->by_pid);
}

/*
 * Stats the namespace LEVELS above that of the process at DIR_FD. Returns false if it is not
 * visible.
 */
static bool namespace_above(int dir_fd, size_t levels, struct stat *ret)
{
	auto_fd int fd = openat(dir_fd, "ns/pid", O_RDONLY | O_CLOEXEC);

	for (; fd >= 0 && levels; levels--) {
		int parent = ioctl(fd, NS_GET_PARENT);

		close(fd);
		fd = parent;
	}
	return fd >= 0 && !fstat(fd, ret);
}

struct wanted_namespace {
	struct stat namespace;
	size_t level; /* index of its IDs in NSpid */
};

/*
 * Adds the threads of the process at PROCESS_FD, a directory of /proc, that are in the namespace.
 */
static void add_threads(
	struct pid_namespace *pids, const struct wanted_namespace *wanted, int process_fd)
{
	scope_guard(procfs_close_dir) DIR *tasks = procfs_open_dir(process_fd, "task");
	struct status status;
	struct stat namespace;
	uint32_t tid;

	while (tasks && procfs_next_id(tasks, &tid)) {
		char name[16];

		snprintf(name, sizeof(name), "%u", tid);
		auto_fd int task = openat(dirfd(tasks), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (!status_read(task, &status) || status.thread.n <= wanted->level ||
			!namespace_above(task, status.thread.n - 1 - wanted->level, &namespace) ||
			namespace.st_ino != wanted->namespace.st_ino ||
			namespace.st_dev != wanted->namespace.st_dev)
			continue;
		*table_at(&pids->by_pid, &status.thread.pids[wanted->level],
			sizeof(status.thread.pids[0]), NULL) = (uint64_t)status.thread.pids[0];
	}
}

/* Scans /proc for an unknown ID, which may be new; at most once a second. */
static void scan(struct pid_namespace *pids, const char *proc_root)
{
	scope_guard(procfs_close_dir) DIR *proc = NULL;
	struct wanted_namespace wanted;
	struct status status;
	uint32_t pid;
	int64_t second = (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000000) + 1;

	if (pids->scanned == second)
		return;
	pids->scanned = second;
	if (pids->by_pid.len > NUMBERS_MAX)
		table_deinit(&pids->by_pid);
	auto_fd int member = procfs_open_process(proc_root, pids->member);
	if (status_read(member, &status) && namespace_above(member, 0, &wanted.namespace)) {
		wanted.level = status.thread.n - 1;
		proc = opendir(proc_root);
	}
	while (proc && procfs_next_id(proc, &pid)) {
		auto_fd int process = procfs_open_process(proc_root, pid);

		if (process >= 0)
			add_threads(pids, &wanted, process);
	}
}

int64_t pid_namespace_translate(struct pid_namespace *pids, const char *proc_root, int64_t pid)
{
	if (!pids->member)
		return pid;
	if (!table_find(&pids->by_pid, &pid, sizeof(pid)))
		scan(pids, proc_root);
	const uint64_t *outer = table_find(&pids->by_pid, &pid, sizeof(pid));
	return outer ? (int64_t)*outer : -1;
}

void pid_namespace_numbers(int dir_fd, struct text *ret)
{
	struct status status;
	struct stat namespace;

	if (!status_read(dir_fd, &status))
		return;
	for (size_t i = 1; i < status.thread.n; i++) {
		if (!namespace_above(dir_fd, status.thread.n - 1 - i, &namespace)) {
			text_clear(ret);
			return;
		}
		text_printf(ret, "%s%llu:%lld", ret->len ? "," : "",
			(unsigned long long)namespace.st_ino, (long long)status.thread.pids[i]);
	}
}
