// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

enum { NAMES_MAX = 100 }; /* names of segments to try */

static const char magic[] = "stack2line-recording ";

enum standing {
	NOTHING,
	OWN_EMPTY, /* left by a recorder of an earlier version that was killed at once */
	OWN_RECORDING,
	FOREIGN, /* anything else, such as a link that somebody put there */
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
		"%s: already exists and is not a recording that you own: remove it, or choose "
		"another name with -o",
		path);
}

static struct error *open_new(struct record_file *file)
{
	file->fd = file_create_unnamed(file->path, 0600, &file->temporary, &file->unnamed);
	if (file->fd >= 0)
		return NULL;
	int errnum = errno;
	free(take(file->temporary));
	return error_errno(errnum, "%s", file->path);
}

struct error *record_file_open(const char *path, struct record_file *ret)
{
	ret->fd = STDOUT_FILENO;
	ret->path = path;
	if (!strcmp(path, "-"))
		return NULL;
	return look_at(path) == FOREIGN ? refuse(path) : open_new(ret);
}

struct error *record_file_next(void *context, int *fd_ret)
{
	struct record_file *file = context;

	if (close(file->fd) < 0)
		return error_errno(errno, "%s", file->path);
	try(open_new(file));
	*fd_ret = file->fd;
	return NULL;
}

static bool cannot_flag(int errnum)
{
	return errnum == EINVAL || errnum == ENOSYS || errnum == EOPNOTSUPP;
}

/* Gives the file its name, which no file has. */
static int take_free_name(const struct record_file *file)
{
	if (!renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE))
		return 0;
	if (!cannot_flag(errno) || link(file->temporary, file->path))
		return -1;
	return unlink(file->temporary);
}

/*
 * Gives the file the name of an earlier one, which becomes PATH.old. The name always exists if the
 * file system can exchange two.
 */
static int take_name_from(const struct record_file *file, enum standing before)
{
	auto_free char *old = xasprintf("%s.old", file->path);

	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_EXCHANGE)) {
		if (!cannot_flag(errno) || (before != OWN_EMPTY && rename(file->path, old)))
			return -1;
		return rename(file->temporary, file->path);
	}
	return before == OWN_EMPTY ? unlink(file->temporary) : rename(file->temporary, old);
}

/* ---- segments ------------------------------------------------------------------------------- */

/* Links the earlier file as the next segment and gives its name to FILE. */
static int take_name_from_segment(const struct record_file *file)
{
	scope_guard(segments_deinit) struct segments segments = {};
	uint64_t number;
	int status = -1;

	segments_list(file->path, &segments);
	number = segments.len ? segments.data[segments.len - 1].number : 0;
	for (int i = 0; status && i < NAMES_MAX; i++) {
		auto_free char *name = segment_path(file->path, ++number);

		status = link(file->path, name);
		if (status && errno == EPERM) /* a file system without links */
			status = renameat2(AT_FDCWD, file->path, AT_FDCWD, name, RENAME_NOREPLACE);
		if (status && errno != EEXIST)
			return -1;
	}
	return status ?: rename(file->temporary, file->path);
}

/* Deletes segments that are too old, or too large in sum with the next one. */
static void delete_segments(const struct record_file *file)
{
	scope_guard(segments_deinit) struct segments segments = {};
	uint64_t bytes = file->segment_bytes;
	struct stat st;

	segments_list(file->path, &segments);
	/* newest first: these are kept */
	for (size_t i = segments.len; i; i--) {
		const char *path = segments.data[i - 1].path;

		if (look_at(path) != OWN_RECORDING || lstat(path, &st))
			continue;
		bytes += (uint64_t)st.st_size;
		if ((file->max_bytes && bytes > file->max_bytes) ||
			(file->max_age && time(NULL) - st.st_mtime > (time_t)file->max_age))
			unlink(path);
	}
}

struct error *record_file_publish(void *context)
{
	struct record_file *file = context;

	if (!file->temporary)
		return NULL;
	enum standing before = look_at(file->path);
	if (before == FOREIGN)
		return refuse(file->path);
	if (file_name_temporary(file->fd, file->path, &file->temporary, &file->unnamed))
		return error_errno(errno, "%s", file->temporary);
	if (before == NOTHING				    ? take_free_name(file)
		: before == OWN_RECORDING && file->segments ? take_name_from_segment(file)
							    : take_name_from(file, before))
		return error_errno(errno, "%s", file->path);
	free(take(file->temporary));
	if (file->segments)
		delete_segments(file);
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
