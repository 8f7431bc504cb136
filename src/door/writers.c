// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/writers.h"

#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

void writers_join(struct writers *all, const struct writers *more)
{
	bool two_users = all->user && more->user && all->user != more->user;
	bool two_groups = all->group && more->group && all->group != more->group;

	all->anyone |= more->anyone || two_users || two_groups;
	all->medium |= more->medium;
	all->user = all->user ? all->user : more->user;
	all->group = all->group ? all->group : more->group;
}

bool writers_within(const struct writers *inner, const struct writers *outer)
{
	if (outer->anyone || inner->anyone)
		return outer->anyone;
	return (!inner->user || inner->user == outer->user) &&
	       (!inner->group || inner->group == outer->group);
}

bool writers_are_root(const struct writers *writers)
{
	return writers_within(writers, &(struct writers){});
}

struct writers writers_of_user(uid_t uid)
{
	return (struct writers){.user = uid == geteuid() ? 0 : uid};
}

struct writers writers_of_group(gid_t gid)
{
	return (struct writers){.group = gid == getegid() ? 0 : gid};
}

/* Returns true if FD (may be O_PATH) has a POSIX access control list. */
static bool has_access_list(int fd)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return getxattr(self, "system.posix_acl_access", NULL, 0) > 0;
}

/* With an access control list, the group bits are only a mask, so anyone may be on the list. */
struct writers writers_of_inode(const struct stat *st, int fd)
{
	struct writers all = writers_of_user(st->st_uid);
	const struct writers group = writers_of_group(st->st_gid);
	bool by_group = st->st_mode & S_IWGRP;

	if (by_group)
		writers_join(&all, &group);
	all.anyone |= st->st_mode & S_IWOTH || (by_group && has_access_list(fd));
	return all;
}

uid_t writers_rights(const struct writers *writers)
{
	return writers->anyone || (writers->group && !writers->user) ? NOBODY : writers->user;
}

bool writers_has_names(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink > 1;
}

struct writers writers_of_entry(int dirfd, const struct stat *entry)
{
	struct stat dir;

	if (fstat(dirfd, &dir))
		return WRITERS_ANYONE;
	if (!entry || !(dir.st_mode & S_ISVTX) || (entry->st_nlink > 1 && !S_ISDIR(entry->st_mode)))
		return writers_of_inode(&dir, dirfd);
	struct writers all = writers_of_user(dir.st_uid);
	const struct writers owner = writers_of_user(entry->st_uid);
	writers_join(&all, &owner);
	return all;
}
