// SPDX-License-Identifier: GPL-2.0-or-later
#include "save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

/* Only a regular file is replaced: not a link to somewhere else, not a device. */
static bool may_replace(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 || S_ISREG(st.st_mode);
}

struct error *save_file_open(const char *path, struct save_file *ret)
{
	auto_free char *temporary = xasprintf("%s.%d", path, (int)getpid());

	if (!may_replace(path))
		return error_create(ERROR_INPUT,
			"%s: already exists and is not a regular file: not overwritten", path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return error_errno(errno, "cannot create %s", path);
	*ret = (struct save_file){
		.file = fdopen(fd, "w"), .path = path, .temporary = take(temporary)};
	return NULL;
}

struct error *save_file_finish(struct save_file *save)
{
	FILE *file = take(save->file);
	int errnum;

	errno = 0;
	bool failed = fflush(file) || ferror(file) || fsync(fileno(file));
	errnum = errno ? errno : EIO;
	if (fclose(file) && !failed) {
		failed = true;
		errnum = errno;
	}
	if (!failed && rename(save->temporary, save->path) < 0) {
		failed = true;
		errnum = errno;
	}
	if (failed)
		return error_errno(errnum, "cannot write %s", save->path);
	free(take(save->temporary));
	return NULL;
}

void save_file_deinit(struct save_file *save)
{
	if (save->file)
		fclose(save->file);
	if (save->temporary)
		unlink(save->temporary);
	free(save->temporary);
	*save = (struct save_file){};
}
