// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/limits.h"

enum { READ_CHUNK = 1 << 16 };

/* FD as it is; out of descriptors is no answer about a file. */
static int checked(int fd)
{
	if (fd < 0)
		limits_check(errno);
	return fd;
}

int file_reopen_regular(int path_fd)
{
	char self[32];
	struct stat st;

	if (fstat(path_fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	return checked(open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

int file_open_regular(int dirfd, const char *path)
{
	auto_fd int fd = checked(openat(dirfd, path, O_PATH | O_CLOEXEC));

	return fd < 0 ? -1 : file_reopen_regular(fd);
}

static int open_resolved(int dirfd, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	auto_fd int fd = checked((int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how)));

	return fd < 0 ? -1 : file_reopen_regular(fd);
}

int file_open_wanted(int dirfd, const char *path, bool in_root, bool (*is_wanted)(int path_fd))
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | (in_root ? RESOLVE_IN_ROOT : 0)};
	auto_fd int fd = checked((int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how)));

	if (fd >= 0 && !is_wanted(fd)) {
		errno = EINVAL;
		return -1;
	}
	return fd < 0 ? -1 : file_reopen_regular(fd);
}

int file_open_in_root(int rootfd, const char *path)
{
	return open_resolved(rootfd, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

int file_open_beneath(int dirfd, const char *path)
{
	return open_resolved(dirfd, path, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

int file_read_all(int fd, size_t max, struct text *ret)
{
	for (;;) {
		char chunk[READ_CHUNK];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if (ret->len + (size_t)n > max)
			return -EFBIG;
		text_add(ret, chunk, (size_t)n);
	}
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
