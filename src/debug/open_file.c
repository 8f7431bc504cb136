// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

enum { OPEN_FLAGS = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };

static int open_below(const char *root, const char *path)
{
	struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
	auto_fd int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -1 : (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

int open_file(const char *root, const char *path)
{
	auto_fd int fd = *root ? open_below(root, path) : open(path, OPEN_FLAGS);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return take_fd(fd);
}

struct elf_image *open_elf(const char *root, const char *path)
{
	int fd = open_file(root, path);
	struct elf_image *image = NULL;

	if (fd < 0)
		return NULL;
	auto_free char *full = xasprintf("%s%s", root, path);
	error_destroy(elf_image_open(fd, full, &image));
	return image;
}
