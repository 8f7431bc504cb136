// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/only.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { DEPTH_MAX = 64 };

int cgroup_open(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -errno;
	return !fstatfs(fd, &fs) && (uint32_t)fs.f_type == CGROUP2_SUPER_MAGIC ? take_fd(fd)
									       : -ENOTDIR;
}

/*
 * Returns the path of the root cgroup, malloc'ed; NULL: none. Beside version 1, systemd mounts
 * version 2 at "unified".
 */
static char *find_root(const char *sys_root)
{
	static const char *const places[] = {"fs/cgroup", "fs/cgroup/unified"};

	array_each(place, places, array_len(places)) {
		auto_free char *path = xasprintf("%s/%s", sys_root, *place);
		auto_fd int fd = cgroup_open(path);

		if (fd >= 0)
			return take(path);
	}
	return NULL;
}

/* Returns true if PATH is ROOT or below it. */
static bool is_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	return !strncmp(path, root, len) && (!path[len] || path[len] == '/');
}

struct error *cgroup_find(const char *sys_root, const char *given, struct cgroup *ret)
{
	auto_free char *root = find_root(sys_root);
	auto_free char *mounts = xasprintf("%s/fs/cgroup", sys_root);

	if (!root)
		return error_create(ERROR_INPUT, "%s: there are no cgroups of version 2", mounts);
	auto_free char *path = is_below(given, mounts)
				       ? xstrdup(given)
				       : xasprintf("%s/%s", root, given + strspn(given, "/"));
	for (size_t len = strlen(path); len && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	ret->name = path + (is_below(path, root) ? strlen(root) : strlen(path));
	ret->path = take(path);
	return NULL;
}

void cgroup_processes(int fd, int depth, struct cgroup_pids *ret)
{
	scope_guard(procfs_close_dir) DIR *dir = procfs_open_dir(fd, ".");
	auto_text struct text text = {};
	struct dirent *entry;
	struct scan line;
	uint64_t pid;

	/* cgroup.procs of a threaded cgroup cannot be read; its processes are listed above it */
	(void)procfs_read(fd, "cgroup.procs", &text);
	for (struct scan all = text_scan(&text); scan_line(&all, &line);)
		if (scan_decimal(&line, &pid) && pid && pid <= INT32_MAX)
			vec_push(ret, (uint32_t)pid);
	while (dir && depth < DEPTH_MAX && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		auto_fd int below = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (below >= 0)
			cgroup_processes(below, depth + 1, ret);
	}
}

/* Looks for the line of version 2, such as "0::/system.slice/ssh.service". */
bool cgroup_holds(const struct cgroup *cgroup, int dir_fd)
{
	auto_text struct text text = {};
	struct scan all, line;

	if (procfs_read(dir_fd, "cgroup", &text))
		return false;
	all = text_scan(&text);
	while (scan_line(&all, &line))
		if (scan_literal(&line, "0::"))
			return scan_literal(&line, cgroup->name) &&
			       (!*cgroup->name || !scan_left(&line) || *line.at == '/');
	return false;
}
