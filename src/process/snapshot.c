// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/snapshot.h"

#include "process/procfs.h"
#include "process/status.h"
#include "util/cleanup.h"
#include "util/scan.h"

enum { THREADS_MAX = 1 << 20 };

void snapshot_deinit(struct snapshot *snapshot)
{
	vec_deinit(&snapshot->threads);
}

uint64_t snapshot_started(int dir_fd)
{
	uint64_t started;

	return procfs_stat_field(dir_fd, 22, &started) ? started : 0;
}

bool snapshot_parent(int dir_fd, uint64_t *ret)
{
	return procfs_stat_field(dir_fd, 4, ret);
}

static void read_threads(int dir_fd, struct snapshot *ret)
{
	scope_guard(procfs_close_dir) DIR *tasks = procfs_open_dir(dir_fd, "task");
	uint32_t tid;

	while (tasks && ret->threads.len < THREADS_MAX && procfs_next_id(tasks, &tid))
		vec_push(&ret->threads, tid);
}

void snapshot_read(int dir_fd, struct snapshot *ret)
{
	struct status status = {};

	(void)status_read(dir_fd, &status);
	*ret = (struct snapshot){.started = snapshot_started(dir_fd),
		.namespace = procfs_namespace(dir_fd, "ns/mnt"),
		.levels = (uint32_t)status.thread.n};
	read_threads(dir_fd, ret);
}
