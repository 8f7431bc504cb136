// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/space_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/jit/files.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/limits.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * Number of processes with open descriptors (three each): the limit of open files divided by EACH,
 * at most what most hosts run. Reopening costs as much as opening, plus a check that the process is
 * the same.
 */
enum { EACH = 8, OPEN_MIN = 2, OPEN_MAX_SPACES = 4096 };

/* Closes the descriptors of FILES, and removes it from the pool. */
static void pool_remove(struct space_files *files)
{
	struct space_files *last = files->pool->open.data[--files->pool->open.len];

	files->pool->open.data[files->slot] = last;
	last->slot = files->slot;
	cleanup_fd(&files->dir);
	cleanup_fd(&files->maps);
	cleanup_fd(&files->memory);
	files->dir = files->maps = files->memory = -1;
}

/* Adds FILES to the pool. Closes the descriptors of another process if the pool is full. */
static void pool_add(struct space_files *files)
{
	struct space_pool *pool = files->pool;
	uint64_t share = pool->max ?: limits_files() / EACH;

	pool->max = share < OPEN_MIN ? OPEN_MIN : share > OPEN_MAX_SPACES ? OPEN_MAX_SPACES : share;
	if (pool->open.len >= pool->max) {
		struct space_files *other = pool->open.data[pool->next++ % pool->open.len];

		/* 0 if the process has exited: its ID may be reused, so do not reopen */
		other->ticks = procfs_started(other->dir);
		pool_remove(other);
		if (other->jit)
			jit_close(other->jit);
	}
	files->slot = pool->open.len;
	vec_push(&pool->open, files);
}

struct space_files *space_files_create(
	struct space_pool *pool, const char *proc_root, int64_t tid, int dir)
{
	struct space_files *files = xnew(files);

	*files = (struct space_files){.pool = pool,
		.proc_root = proc_root,
		.tid = tid,
		.dir = dir,
		.maps = -1,
		.memory = -1};
	pool_add(files);
	return files;
}

void space_files_destroy(struct space_files *files)
{
	if (files && files->dir >= 0)
		pool_remove(files);
	free(files);
}

int space_files_dir(struct space_files *files)
{
	if (!files || files->gone)
		return -1;
	if (files->dir >= 0)
		return files->dir;
	auto_fd int dir = procfs_open_process(files->proc_root, files->tid);
	files->gone = dir < 0 || procfs_started(dir) != files->ticks;
	if (files->gone)
		return -1;
	pool_add(files);
	files->dir = take_fd(dir);
	return files->dir;
}

int space_files_maps(struct space_files *files, const struct maps *maps)
{
	scope_guard(arena_deinit) struct arena strings = {};
	int dir = space_files_dir(files);
	struct maps now = {};

	if (dir < 0 || !files->has_maps || files->maps >= 0)
		return dir < 0 ? -1 : files->maps;
	(void)procfs_maps(dir, &strings, &now, &files->maps);
	/*
	 * Another program, or another run of the same one, has all code at other addresses or from
	 * other files. A library may have been unmapped.
	 */
	files->has_maps = false;
	vec_each(was, maps) {
		const struct mapping *is = maps_find(&now, was->start);

		files->has_maps |= is && was->executable && was->inode && maps_same_code(is, was);
	}
	vec_deinit(&now);
	if (files->has_maps)
		return files->maps;
	files->gone = true;
	pool_remove(files);
	return -1;
}

int space_files_memory(struct space_files *files, bool anew)
{
	int dir = space_files_dir(files);

	if (dir >= 0 && anew && files->memory >= 0)
		close(take_fd(files->memory));
	if (dir >= 0 && files->memory < 0)
		files->memory = openat(dir, "mem", O_RDONLY | O_CLOEXEC);
	return dir < 0 ? -1 : files->memory;
}
