// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/finder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "util/cleanup.h"
#include "util/file.h"

static int negative_errno(int fd)
{
	return fd < 0 ? -errno : fd;
}

/* The kernel's own link to the mapped file: also right when it was deleted or mounted over. */
static int open_map_files(const struct space *space, const struct mapping *mapping)
{
	char name[64];

	snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)mapping->start,
		(unsigned long long)mapping->end);
	return negative_errno(file_open_regular(space->dir_fd, name));
}

/* The path as the process sees it. */
static int open_root(const struct space *space, const struct mapping *mapping)
{
	auto_fd int root = openat(space->dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (mapping->path[0] != '/')
		return -ENOENT;
	return root < 0 ? -errno : negative_errno(file_open_in_root(root, mapping->path));
}

/* The path as we see it: right for processes of our own mount namespace. */
static int open_path(const struct space *space, const struct mapping *mapping)
{
	(void)space;
	if (mapping->path[0] != '/')
		return -ENOENT;
	return negative_errno(file_open_regular(AT_FDCWD, mapping->path));
}

const struct finder finders[] = {
	{.name = "map_files", .open = open_map_files, .certain = true},
	{.name = "root", .open = open_root, .foreign_mount = true},
	{.name = "path", .open = open_path, .by_path = true},
	{},
};
