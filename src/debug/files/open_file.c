// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/rights.h"
#include "util/xalloc.h"

int open_file(const char *root, const char *path)
{
	auto_fd int dir = -1;

	if (!*root)
		return file_open_regular(AT_FDCWD, path);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : file_open_in_root(dir, path);
}

/* Within ROOT, an open directory (-1: ours). What is no stored file is not opened for reading. */
static int open_path(int root, const char *path)
{
	return root < 0 ? file_open_wanted(AT_FDCWD, path, false, file_is_stored)
			: file_open_wanted(root, path, true, file_is_stored);
}

int open_named_file(const char *root, const char *path, const struct elf_image *by)
{
	scope_guard(rights_restore) struct rights rights = {};
	auto_fd int dir = *root ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (*root && dir < 0)
		return -1;
	rights_take(by->stat.st_uid, by->stat.st_gid, &rights);
	auto_fd int fd = open_path(dir, path);
	if (fd >= 0 && !rights_allow(&rights, fd)) {
		errno = EACCES;
		return -1;
	}
	return take_fd(fd);
}

struct elf_image *open_elf(const char *root, const char *path, const struct elf_image *by)
{
	int fd = by ? open_named_file(root, path, by) : open_file(root, path);
	struct elf_image *image = NULL;

	if (fd < 0)
		return NULL;
	auto_free char *full = xasprintf("%s%s", root, path);
	error_destroy(elf_image_open(fd, full, &image));
	return image;
}

bool path_stays_below(const char *path)
{
	size_t depth = 0;

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && !memcmp(path, "..", 2)) {
			if (!depth--)
				return false;
		} else if (len && !(len == 1 && *path == '.')) {
			depth++;
		}
		path += len + (path[len] == '/');
	}
	return true;
}
