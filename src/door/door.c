// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <unistd.h>

#include "door/way.h"
#include "util/cleanup.h"
#include "util/file.h"

/*
 * Returns those who could have put a link on the way to PATH. If PATH no longer leads to FOUND, it
 * was changed meanwhile, and anyone could have done that.
 */
static struct writers writers_of_links(int dirfd, const char *path, unsigned how, int found)
{
	struct writers writers = {};
	struct stat reached, wanted;
	auto_fd int at = way_walk(dirfd, path, how & DOOR_IN_ROOT ? WAY_IN_ROOT : 0, &writers);

	return at < 0 || fstat(at, &reached) || fstat(found, &wanted) ||
			       reached.st_ino != wanted.st_ino || reached.st_dev != wanted.st_dev
		       ? WRITERS_ANYONE
		       : writers;
}

/* Returns the RESOLVE_* flags of openat2(2) for HOW, a set of enum door. */
static uint64_t resolve_as(unsigned how)
{
	return (how & DOOR_IN_ROOT ? RESOLVE_IN_ROOT : 0) |
	       (how & DOOR_ENTRY ? RESOLVE_BENEATH : 0) |
	       (how & DOOR_BENEATH ? RESOLVE_BENEATH | RESOLVE_NO_XDEV : 0) |
	       (how ? RESOLVE_NO_MAGICLINKS : 0);
}

int door_open(int dirfd, const char *path, unsigned how, struct writers *links_ret)
{
	struct writers links = {};
	bool linked = false;
	struct stat st;
	auto_fd int fd = file_find(dirfd, path, resolve_as(how) | RESOLVE_NO_SYMLINKS);

	if (fd < 0 && !(how & (DOOR_BENEATH | DOOR_ENTRY)) && (errno == ELOOP || errno == ENOSYS)) {
		fd = how ? file_find(dirfd, path, resolve_as(how))
			 : openat(dirfd, path, O_PATH | O_CLOEXEC);
		linked = true;
	}
	if (fd >= 0 && links_ret && (linked || fstat(fd, &st) || writers_has_names(&st)))
		links = writers_of_links(dirfd, path, how, fd);
	if (fd >= 0 && how & DOOR_STORED && !file_is_stored(fd)) {
		errno = EINVAL;
		return -1;
	}
	if (links_ret)
		*links_ret = links;
	return fd < 0 ? -1 : file_reopen_regular(fd);
}

const char *door_failure(int err)
{
	return err == ENOENT || err == ENOTDIR ? "not there"
	       : err == EINVAL		       ? "not a regular file"
					       : strerror(err);
}
