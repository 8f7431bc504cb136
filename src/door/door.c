// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

int door_open(int dirfd, const char *path, unsigned how, struct writers *links_ret)
{
	struct writers links = {};
	bool linked = false;
	struct stat st, reached;
	const uint64_t resolve = (how & DOOR_IN_ROOT ? RESOLVE_IN_ROOT : 0) |
				 (how & DOOR_ENTRY ? RESOLVE_BENEATH : 0) |
				 (how & DOOR_BENEATH ? RESOLVE_BENEATH | RESOLVE_NO_XDEV : 0) |
				 (how ? RESOLVE_NO_MAGICLINKS : 0);
	auto_fd int fd = file_find(dirfd, path, resolve | RESOLVE_NO_SYMLINKS);

	if (fd < 0 && !(how & (DOOR_BENEATH | DOOR_ENTRY)) && (errno == ELOOP || errno == ENOSYS)) {
		fd = how ? file_find(dirfd, path, resolve)
			 : openat(dirfd, path, O_PATH | O_CLOEXEC);
		linked = true;
	}
	if (fd >= 0 && links_ret && (linked || fstat(fd, &st) || writers_has_names(&st))) {
		auto_fd int at = writers_walk(dirfd, path, how & DOOR_IN_ROOT, false, &links);

		/* if PATH no longer leads there, it was changed meanwhile, perhaps by anyone */
		if (at < 0 || fstat(at, &reached) || fstat(fd, &st) ||
			reached.st_ino != st.st_ino || reached.st_dev != st.st_dev)
			links = WRITERS_ANYONE;
	}
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

/* ---- rights ---------------------------------------------------------------------------------- */

/* Calls the system call for this thread alone; the C library's function changes all threads. */
static int set_groups(int n, const gid_t *groups)
{
	return (int)syscall(SYS_setgroups, n, groups);
}

/* Returns the file system user ID in use: an invalid ID changes nothing (setfsuid(2)). */
static uid_t user_now(void)
{
	return (uid_t)setfsuid((uid_t)-1);
}

static gid_t group_now(void)
{
	return (gid_t)setfsgid((gid_t)-1);
}

void rights_take(uid_t uid, gid_t gid, struct rights *ret)
{
	*ret = (struct rights){.uid = uid, .own_uid = user_now(), .own_gid = group_now()};
	if (!uid || uid == ret->own_uid)
		return;
	int n = getgroups(0, NULL);
	ret->groups = xcalloc(n > 0 ? (size_t)n : 0, sizeof(gid_t));
	ret->n_groups = n > 0 ? getgroups(n, ret->groups) : 0;
	ret->taken = !set_groups(0, NULL);
	if (ret->taken) {
		(void)setfsgid(gid);
		(void)setfsuid(uid);
	}
	/* The kernel drops file capabilities with the user, but not if the switch was refused. */
	ret->limited = !ret->taken || user_now() != uid || group_now() != gid;
}

void rights_restore(struct rights *rights)
{
	if (rights->taken) {
		(void)setfsuid(rights->own_uid);
		(void)setfsgid(rights->own_gid);
		if (rights->n_groups >= 0)
			(void)set_groups(rights->n_groups, rights->groups);
		/* changing the user cleared it, though the program is the same as before */
		(void)prctl(PR_SET_DUMPABLE, 1);
	}
	free(rights->groups);
	*rights = (struct rights){};
}

bool rights_allow(const struct rights *rights, int fd)
{
	struct stat st;

	if (!rights->limited)
		return true;
	return !fstat(fd, &st) &&
	       (st.st_mode & S_IROTH || (st.st_uid == rights->uid && st.st_mode & S_IRUSR));
}
