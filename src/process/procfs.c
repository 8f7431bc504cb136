// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/limits.h"
#include "util/xalloc.h"

/* A process may have 65,530 mappings (vm.max_map_count) and more if raised; a line has ~100 bytes. */
enum { PROC_FILE_MAX = 256 << 20 };

int procfs_open_process(const char *root, int64_t pid)
{
	auto_free char *path = xasprintf("%s/%lld", root, (long long)pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		limits_check(errno);
	return fd < 0 ? -errno : fd;
}

int procfs_read(int dirfd, const char *name, struct text *ret)
{
	auto_fd int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		limits_check(errno);
	return fd < 0 ? -errno : file_read_all(fd, PROC_FILE_MAX, ret);
}

char *procfs_boot_id(const char *root)
{
	auto_free char *path = xasprintf("%s/sys/kernel/random/boot_id", root);
	struct text text = {};

	if (procfs_read(AT_FDCWD, path, &text) || !text.len) {
		text_deinit(&text);
		return NULL;
	}
	text.data[strcspn(text.data, "\n")] = '\0';
	return text_take(&text);
}

DIR *procfs_open_dir(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

void procfs_close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
