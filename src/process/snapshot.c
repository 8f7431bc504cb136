// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/snapshot.h"

#include "process/procfs.h"
#include "process/status.h"
#include "util/cleanup.h"
#include "util/scan.h"

enum { THREADS_MAX = 1 << 20 };

void snapshot_deinit(struct snapshot *snapshot)
{
	text_deinit(&snapshot->nspid);
	vec_deinit(&snapshot->threads);
}

static void read_nspid(int dir_fd, int64_t pid, struct text *ret)
{
	struct status status = {};

	(void)status_read(dir_fd, &status);
	for (size_t i = 0; i < status.thread.n; i++) {
		text_add_string(ret, i ? "," : "");
		text_add_decimal(ret, (uint64_t)status.thread.pids[i]);
	}
	if (!ret->len)
		text_add_decimal(ret, (uint64_t)pid);
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

void snapshot_read(int dir_fd, int64_t pid, struct snapshot *ret)
{
	*ret = (struct snapshot){.started = snapshot_started(dir_fd),
		.namespace = procfs_namespace(dir_fd, "ns/mnt")};
	read_nspid(dir_fd, pid, &ret->nspid);
	read_threads(dir_fd, ret);
}
