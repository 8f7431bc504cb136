// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

enum { NAMES_MAX = 100 };

static const char magic[] = "stack2line-recording ";

enum standing {
	NOTHING,
	OWN_EMPTY,     /* what a recorder of an earlier version left when it was killed at once */
	OWN_RECORDING,
	FOREIGN,       /* whatever stands there, a link above all, was put there by somebody */
};

static enum standing look_at(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char start[sizeof(magic) - 1];
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? NOTHING : FOREIGN;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != geteuid())
		return FOREIGN;
	if (!st.st_size)
		return OWN_EMPTY;
	return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
			       !memcmp(start, magic, sizeof(start))
		       ? OWN_RECORDING
		       : FOREIGN;
}

static struct error *refuse(const char *path)
{
	return error_create(ERROR_USAGE,
		"%s: is there and is not a recording of yours: remove it, or give another name "
		"with -o",
		path);
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

/* A new file with a name that nobody has; where it can be, without one for now. */
static int create_file(struct record_file *file)
{
	auto_free char *directory = directory_of(file->path);
	int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	file->unnamed = fd >= 0;
	if (fd >= 0)
		file->temporary = xasprintf("%s.%d", file->path, (int)getpid());
	for (int i = 0; fd < 0 && i < NAMES_MAX; i++) {
		free(file->temporary);
		file->temporary = xasprintf("%s.%d.%d", file->path, (int)getpid(), i);
		fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

struct error *record_file_open(const char *path, struct record_file *ret)
{
	*ret = (struct record_file){.fd = STDOUT_FILENO, .path = path};
	if (!strcmp(path, "-"))
		return NULL;
	if (look_at(path) == FOREIGN)
		return refuse(path);
	ret->fd = create_file(ret);
	if (ret->fd >= 0)
		return NULL;
	int errnum = errno;
	free(take(ret->temporary));
	return error_errno(errnum, "%s", path);
}

static int name_file(struct record_file *file)
{
	auto_free char *self = xasprintf("/proc/self/fd/%d", file->fd);

	for (int i = 0; file->unnamed && i < NAMES_MAX; i++) {
		if (!linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW)) {
			file->unnamed = false;
		} else if (errno != EEXIST) {
			return -1;
		} else {
			free(file->temporary);
			file->temporary = xasprintf("%s.%d.%d", file->path, (int)getpid(), i);
		}
	}
	return file->unnamed ? -1 : 0;
}

static bool cannot_flag(int errnum)
{
	return errnum == EINVAL || errnum == ENOSYS || errnum == EOPNOTSUPP;
}

/* Where nothing has the name. */
static int take_free_name(const struct record_file *file)
{
	if (!renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE))
		return 0;
	if (!cannot_flag(errno) || link(file->temporary, file->path))
		return -1;
	return unlink(file->temporary);
}

/* At no moment has nothing the name, where the file system can exchange two. */
static int take_name_from(const struct record_file *file, enum standing before)
{
	auto_free char *old = xasprintf("%s.old", file->path);

	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_EXCHANGE)) {
		if (!cannot_flag(errno) || rename(file->path, old))
			return -1;
		return rename(file->temporary, file->path);
	}
	return before == OWN_EMPTY ? unlink(file->temporary) : rename(file->temporary, old);
}

struct error *record_file_publish(struct record_file *file)
{
	if (!file->temporary)
		return NULL;
	enum standing before = look_at(file->path);
	if (before == FOREIGN)
		return refuse(file->path);
	if (name_file(file))
		return error_errno(errno, "%s", file->temporary);
	if (before == NOTHING ? take_free_name(file) : take_name_from(file, before))
		return error_errno(errno, "%s", file->path);
	free(take(file->temporary));
	return NULL;
}

struct error *record_file_close(struct record_file *file)
{
	if (file->temporary && !file->unnamed)
		unlink(file->temporary);
	free(take(file->temporary));
	if (file->fd != STDOUT_FILENO && close(file->fd) < 0)
		return error_errno(errno, "%s", file->path);
	return NULL;
}
