// SPDX-License-Identifier: GPL-2.0-or-later
#include "save_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/file.h"

/* Returns true if PATH is a regular file or does not exist, but not if it is a link or device. */
static bool may_replace(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 || S_ISREG(st.st_mode);
}

struct error *save_file_open(const char *path, mode_t mode, struct save_file *ret)
{
	if (!may_replace(path))
		return error_create(ERROR_INPUT,
			"%s: already exists and is not a regular file: not overwritten", path);
	*ret = (struct save_file){.path = path};
	int fd = file_create_unnamed(path, mode, &ret->temporary, &ret->unnamed);
	if (fd < 0)
		return error_errno(errno, "cannot create %s", path);
	ret->file = fdopen(fd, "w");
	return NULL;
}

struct error *save_file_publish(struct save_file *save)
{
	if (!save->temporary)
		return NULL;
	if (file_name_temporary(fileno(save->file), save->path, &save->temporary, &save->unnamed) ||
		rename(save->temporary, save->path) < 0)
		return error_errno(errno, "cannot write %s", save->path);
	free(take(save->temporary));
	return NULL;
}

struct error *save_file_finish(struct save_file *save)
{
	errno = 0;
	if (fflush(save->file) || ferror(save->file) || fsync(fileno(save->file)))
		return error_errno(errno ?: EIO, "cannot write %s", save->path);
	try(save_file_publish(save));
	if (fclose(take(save->file)))
		return error_errno(errno, "cannot write %s", save->path);
	return NULL;
}

void save_file_deinit(struct save_file *save)
{
	if (save->file)
		fclose(save->file);
	if (save->temporary && !save->unnamed)
		unlink(save->temporary);
	free(save->temporary);
	*save = (struct save_file){};
}
