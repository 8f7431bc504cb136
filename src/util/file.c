// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/limits.h"
#include "util/scan.h"
#include "util/sort.h"
#include "util/xalloc.h"

enum { READ_CHUNK = 1 << 16 };

/*
 * Returns FD. Ends the program if we ran out of descriptors, which must not look like a missing
 * file.
 */
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

bool file_same_content(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

struct error *file_error(int errnum, const char *path)
{
	return errnum == EINVAL ? error_create(ERROR_INPUT, "%s: not a regular file", path)
				: error_errno(errnum, "%s", path);
}

bool file_is_stored(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	switch ((unsigned long)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case TRACEFS_MAGIC:
	case DEBUGFS_MAGIC:
	case SECURITYFS_MAGIC:
	case BPF_FS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case PSTOREFS_MAGIC:
	case EFIVARFS_MAGIC:
		return false;
	}
	return true;
}

int file_find(int dirfd, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};

	return checked((int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how)));
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

size_t file_read_at(int fd, void *ret, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)ret + done, size - done, (off_t)(at + done));

		if (n <= 0 && !(n < 0 && errno == EINTR))
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

int file_read_regular(int dirfd, const char *path, size_t max, struct text *ret)
{
	auto_fd int fd = file_open_regular(dirfd, path);

	return fd < 0 ? -errno : file_read_all(fd, max, ret);
}

bool file_path_is_regular(const char *path)
{
	struct stat st;
	int failed = strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st);

	return !failed && S_ISREG(st.st_mode);
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

enum { NAMES_MAX = 100 }; /* limit on the names tried for a temporary file */

static char *temporary_name(const char *path, int i)
{
	return i < 0 ? xasprintf("%s.%d", path, (int)getpid())
		     : xasprintf("%s.%d.%d", path, (int)getpid(), i);
}

int file_create_unnamed(const char *path, mode_t mode, char **temporary_ret, bool *unnamed_ret)
{
	size_t len = (size_t)(file_base_name(path) - path);
	auto_free char *directory = len ? xstrndup(path, len) : xstrdup(".");
	auto_free char *temporary = temporary_name(path, -1);
	int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);

	*unnamed_ret = fd >= 0;
	for (int i = 0; fd < 0 && i < NAMES_MAX; i++) {
		free(temporary);
		temporary = temporary_name(path, i);
		fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		*temporary_ret = take(temporary);
	return fd;
}

int file_name_temporary(int fd, const char *path, char **temporary, bool *unnamed)
{
	auto_free char *self = xasprintf("/proc/self/fd/%d", fd);

	for (int i = 0; *unnamed && i < NAMES_MAX; i++) {
		if (!linkat(AT_FDCWD, self, AT_FDCWD, *temporary, AT_SYMLINK_FOLLOW)) {
			*unnamed = false;
		} else if (errno != EEXIST) {
			return -1;
		} else {
			free(*temporary);
			*temporary = temporary_name(path, i);
		}
	}
	return *unnamed ? -1 : 0;
}

enum { DIGITS = 6 };

char *segment_path(const char *path, uint64_t number)
{
	return xasprintf("%s.%0*" PRIu64, path, DIGITS, number);
}

void segments_deinit(struct segments *segments)
{
	vec_free_each(segments, path);
	vec_deinit(segments);
}

COMPARE(compare_segments, struct segment, order_of(a->number, b->number))

void segments_list(const char *path, struct segments *ret)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	auto_free char *directory = !slash	    ? xstrdup(".")
				    : slash == path ? xstrdup("/")
						    : xstrndup(path, (size_t)(slash - path));
	DIR *dir = opendir(directory);
	struct dirent *entry;
	uint64_t number;

	*ret = (struct segments){};
	while (dir && (entry = readdir(dir))) {
		struct scan s = scan_of(entry->d_name);

		if (scan_literal(&s, base) && scan_char(&s, '.') && scan_left(&s) >= DIGITS &&
			scan_all_decimal(s, &number))
			vec_push(ret, (struct segment){segment_path(path, number), number});
	}
	if (dir)
		closedir(dir);
	vec_sort(ret, compare_segments);
}
