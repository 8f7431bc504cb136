// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/pid_namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/clock.h"

/* maximum number of entries, including those of exited processes */
enum { NUMBERS_MAX = 1 << 16 };

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

/* Scans /proc for an unknown ID, which may be new; at most once a second. */
static void scan(struct pid_namespace *pids, const char *proc_root)
{
	int64_t second = (int64_t)(clock_ns(CLOCK_MONOTONIC) / SECOND) + 1;
	struct stat wanted, namespace;
	struct status status;
	uint32_t pid, tid;

	if (pids->scanned == second)
		return;
	pids->scanned = second;
	if (pids->by_pid.len > NUMBERS_MAX)
		table_deinit(&pids->by_pid);
	auto_fd int member = procfs_open_process(proc_root, pids->member);
	if (!status_read(member, &status) || !namespace_above(member, 0, &wanted))
		return;
	const size_t level = status.thread.n - 1; /* index of the namespace's IDs in NSpid */
	scope_guard(procfs_close_dir) DIR *proc = opendir(proc_root);
	while (procfs_next_id(proc, &pid)) {
		auto_fd int process = procfs_open_process(proc_root, pid);
		scope_guard(procfs_close_dir) DIR *tasks =
			process < 0 ? NULL : procfs_open_dir(process, "task");

		while (procfs_next_id(tasks, &tid)) {
			char name[16];

			snprintf(name, sizeof(name), "%u", tid);
			auto_fd int task =
				/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it had an entry */
				openat(dirfd(tasks), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (!status_read(task, &status) || status.thread.n <= level ||
				!namespace_above(task, status.thread.n - 1 - level, &namespace) ||
				namespace.st_ino != wanted.st_ino ||
				namespace.st_dev != wanted.st_dev)
				continue;
			*table_at(&pids->by_pid, &status.thread.pids[level],
				sizeof(status.thread.pids[0]), NULL) =
				(uint64_t)status.thread.pids[0];
		}
	}
}

int64_t pid_namespace_translate(struct pid_namespace *pids, const char *proc_root, int64_t pid)
{
	const uint64_t *outer = table_find(&pids->by_pid, &pid, sizeof(pid));

	if (!outer) {
		scan(pids, proc_root);
		outer = table_find(&pids->by_pid, &pid, sizeof(pid));
	}
	return outer ? (int64_t)*outer : -1;
}

size_t pid_namespace_numbers(int dir_fd, struct pid_number ret[STATUS_PIDS_MAX])
{
	struct status status;
	struct stat namespace;

	if (!status_read(dir_fd, &status))
		return 0;
	for (size_t i = 1; i < status.thread.n; i++) {
		if (!namespace_above(dir_fd, status.thread.n - 1 - i, &namespace))
			return 0;
		ret[i - 1] = (struct pid_number){namespace.st_ino, status.thread.pids[i]};
	}
	return status.thread.n - 1;
}
