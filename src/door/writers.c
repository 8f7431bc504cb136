// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

enum { LOOP_MAJOR = 7, MOUNTS_MAX = 16 << 20 };

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

static struct writers of_group(gid_t gid)
{
	return (struct writers){.group = gid == getegid() ? 0 : gid};
}

/* FD may be O_PATH. */
static bool has_access_list(int fd)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return getxattr(self, "system.posix_acl_access", NULL, 0) > 0;
}

/* The permissions of an inode; with an access control list those of its group are a mask. */
static struct writers of_inode(const struct stat *st, int fd)
{
	struct writers all = writers_of_user(st->st_uid);
	const struct writers group = of_group(st->st_gid);
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

struct writers writers_of_entry(int dirfd, const struct stat *entry)
{
	const struct writers owner = writers_of_user(entry->st_uid);
	struct stat dir;

	if (fstat(dirfd, &dir))
		return WRITERS_ANYONE;
	if (!(dir.st_mode & S_ISVTX) || entry->st_nlink > 1)
		return of_inode(&dir, dirfd);
	struct writers all = writers_of_user(dir.st_uid);
	writers_join(&all, &owner);
	return all;
}

/* ---- mounts --------------------------------------------------------------------------------- */

/* What mountinfo says of the mounts of one file system. */
struct medium {
	struct text text;
	struct scan left;
	uint64_t id; /* of the mount that the file was opened on */
	dev_t device;
};

static void medium_deinit(struct medium *medium)
{
	text_deinit(&medium->text);
}

/* It may be mounted in another namespace too: then the device is what tells it. */
static struct medium medium_of(int fd, const struct stat *st)
{
	struct medium medium = {.device = st->st_dev};
	struct statx stx;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) && stx.stx_mask & STATX_MNT_ID)
		medium.id = stx.stx_mnt_id;
	(void)!file_read_regular(AT_FDCWD, "/proc/self/mountinfo", MOUNTS_MAX, &medium.text);
	medium.left = text_scan(&medium.text);
	return medium;
}

/*
 * 36 35 98:0 /mnt1 /mnt2 rw,nosuid - ext3 /dev/root rw,user_id=0
 * (1)   (2)        (3)                    (4)       (5)
 * fields of a mount; who mounts chooses what (3) and (4) are called
 */
struct mounted {
	struct scan point, source, options; /* (3), (4), (5) */
};

/* Steps to the next mount of the file system. */
static bool medium_next(struct medium *medium, struct mounted *ret)
{
	struct scan line, word;
	uint64_t id, minor_number, major_number;

	while (scan_line(&medium->left, &line)) {
		struct scan rest = line;

		if (!scan_cut_last(&rest, ' ', &ret->options) ||
			!scan_cut_last(&rest, ' ', &ret->source) || !scan_decimal(&line, &id) ||
			!scan_char(&line, ' ') || !scan_to(&line, ' ', &word) ||
			!scan_decimal(&line, &major_number) || !scan_char(&line, ':') ||
			!scan_decimal(&line, &minor_number) || !scan_char(&line, ' ') ||
			!scan_to(&line, ' ', &word) || !scan_to(&line, ' ', &ret->point))
			continue;
		if (id == medium->id ||
			makedev((unsigned)major_number, (unsigned)minor_number) == medium->device)
			return true;
	}
	return false;
}

/* Who mounted a FUSE file system decides what is in it; a virtual machine's host is no user. */
static struct writers of_fuse(int fd, const struct stat *st)
{
	scope_guard(medium_deinit) struct medium medium = medium_of(fd, st);
	struct mounted mounted;
	uint64_t uid;

	if (!medium_next(&medium, &mounted))
		return WRITERS_ANYONE;
	struct scan at = {scan_find(mounted.options, ",user_id="), mounted.options.end};
	if (!at.at) /* virtiofs */
		return (struct writers){};
	return scan_literal(&at, ",user_id=") && scan_decimal(&at, &uid)
		       ? writers_of_user((uid_t)uid)
		       : WRITERS_ANYONE;
}

/*
 * Returns false if ST is not the file behind the loop device MINOR: its name may be of another mount namespace. Who
 * may not open the device has only the name.
 */
static bool is_behind_loop(unsigned minor, const struct stat *st)
{
	struct loop_info64 info;
	char name[32];

	snprintf(name, sizeof(name), "/dev/loop%u", minor);
	auto_fd int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == EACCES;
	return !ioctl(fd, LOOP_GET_STATUS64, &info) && info.lo_inode == st->st_ino &&
	       info.lo_device == st->st_dev;
}

/* Of the file behind the loop device MINOR; it is unknown once its name is gone. */
static struct writers of_loop(unsigned minor)
{
	scope_guard(text_deinit) struct text path = {};
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/sys/dev/block/%d:%u/loop/backing_file", LOOP_MAJOR, minor);
	if (file_read_regular(AT_FDCWD, name, 2 * PATH_MAX, &path) || !path.len)
		return WRITERS_ANYONE;
	path.data[strcspn(path.data, "\n")] = '\0';
	auto_fd int fd = open(path.data, O_PATH | O_CLOEXEC);
	return fd < 0 || fstat(fd, &st) || !is_behind_loop(minor, &st) ? WRITERS_ANYONE
								       : of_inode(&st, fd);
}

/*
 * Of a file system whose files are not to run with their owner's rights: media are mounted so that a user plugs in, where
 * desktops do that, and image files. The device of btrfs' files is none of a disk.
 */
static struct writers of_nosuid(int fd, const struct stat *st)
{
	scope_guard(medium_deinit) struct medium medium = medium_of(fd, st);
	struct mounted mounted;
	uint64_t loop;

	while (medium_next(&medium, &mounted)) {
		if (scan_literal(&mounted.point, "/media/") ||
			scan_literal(&mounted.point, "/run/media/"))
			return WRITERS_ANYONE;
		if (scan_literal(&mounted.source, "/dev/loop") &&
			scan_all_decimal(mounted.source, &loop))
			return of_loop((unsigned)loop);
	}
	return (struct writers){};
}

/* Of whatever is on the file system of FD. */
static struct writers of_mount(int fd, const struct stat *st)
{
	struct writers all = {};
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return WRITERS_ANYONE;
	if (fs.f_type == FUSE_SUPER_MAGIC)
		all = of_fuse(fd, st);
	else if (major(st->st_dev) == LOOP_MAJOR)
		all = of_loop(minor(st->st_dev));
	else if (fs.f_flags & ST_NOSUID)
		all = of_nosuid(fd, st);
	all.medium = !writers_are_root(&all);
	return all;
}

struct writers writers_of_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return WRITERS_ANYONE;
	const struct writers inode = of_inode(&st, fd);
	struct writers all = of_mount(fd, &st);
	writers_join(&all, &inode);
	return all;
}

struct writers writers_of_directory(int dirfd, const char *path)
{
	auto_fd int fd = openat(dirfd, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return (struct writers){};
	struct writers all = of_mount(fd, &st);
	const struct writers owner = writers_of_user(st.st_uid), group = of_group(st.st_gid);

	writers_join(&all, &owner);
	writers_join(&all, &group);
	return all;
}
