// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/open_file.h"

#include <fcntl.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

int open_file(const char *root, const char *path)
{
	auto_fd int dir = -1;

	if (!*root)
		return file_open_regular(AT_FDCWD, path);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : file_open_in_root(dir, path);
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
