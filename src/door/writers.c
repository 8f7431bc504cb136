// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/writers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "door/mountinfo.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

void writers_join(struct writers *all, struct writers more)
{
	bool two_users = all->user && more.user && all->user != more.user;
	bool two_groups = all->group && more.group && all->group != more.group;

	all->anyone |= more.anyone || two_users || two_groups;
	all->medium |= more.medium;
	all->user = all->user ? all->user : more.user;
	all->group = all->group ? all->group : more.group;
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

/* Returns the owner of the inode with status ST and, if WITH_GROUP, its group. */
static struct writers of_owner(const struct stat *st, bool with_group)
{
	struct writers owner = writers_of_user(st->st_uid);

	if (with_group && st->st_gid != getegid())
		owner.group = st->st_gid;
	return owner;
}

/*
 * Returns those who may write the inode with status ST. FD is open on it and may be O_PATH. With an
 * access control list, the group bits are only a mask, so anyone may be on the list.
 */
static struct writers of_inode(const struct stat *st, int fd)
{
	bool by_group = st->st_mode & S_IWGRP;
	struct writers all = of_owner(st, by_group);
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	all.anyone = st->st_mode & S_IWOTH ||
		     (by_group && getxattr(self, "system.posix_acl_access", NULL, 0) > 0);
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

/*
 * Returns those who could have put ENTRY, a symbolic link, file or directory, into the directory
 * DIRFD, or removed it if ENTRY is NULL. In a sticky directory these are the owners of the entry
 * and of the directory. If the entry has several hard links, its owner does not count,
 * because somebody else may have made the link.
 */
static struct writers of_entry(int dirfd, const struct stat *entry)
{
	struct stat dir;

	if (fstat(dirfd, &dir))
		return WRITERS_ANYONE;
	if (!entry || !(dir.st_mode & S_ISVTX) || (entry->st_nlink > 1 && !S_ISDIR(entry->st_mode)))
		return of_inode(&dir, dirfd);
	struct writers all = writers_of_user(dir.st_uid);
	writers_join(&all, writers_of_user(entry->st_uid));
	return all;
}

/* ---- paths ---------------------------------------------------------------------------------- */

enum { LINKS_MAX = 40 };

int writers_walk(int dirfd, const char *path, bool in_root, bool moved, struct writers *writers)
{
	auto_fd int at = openat(dirfd, *path == '/' && !in_root ? "/" : ".", O_PATH | O_CLOEXEC);
	auto_free char *rest = xstrdup(path);
	unsigned links = 0;

	while (*rest) {
		auto_free char *all = rest;
		const char *name = all + strspn(all, "/");
		auto_free char *step = xstrndup(name, strcspn(name, "/"));
		char target[PATH_MAX];
		struct statfs fs;
		struct stat st;

		rest = xstrdup(name + strlen(step));
		if (!*step)
			continue;
		auto_fd int next = openat(at, step, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		bool found = next >= 0 && !fstat(next, &st);
		/* a magic link of procfs has no path to follow */
		bool link = found && S_ISLNK(st.st_mode) &&
			    (fstatfs(next, &fs) || fs.f_type != PROC_SUPER_MAGIC);
		if (link || moved || (found && writers_has_names(&st)))
			writers_join(writers, of_entry(at, found ? &st : NULL));
		if (!found)
			return -1;
		if (link) {
			auto_free char *after = rest;
			ssize_t len = readlinkat(next, "", target, sizeof(target) - 1);

			rest = NULL;
			if (len <= 0 || ++links > LINKS_MAX)
				return -1;
			rest = xasprintf("%.*s/%s", (int)len, target, after);
			if (*rest != '/')
				continue;
		}
		int to = link ? openat(dirfd, in_root ? "." : "/", O_PATH | O_CLOEXEC)
			 : S_ISLNK(st.st_mode) ? openat(at, step, O_PATH | O_CLOEXEC)
					       : take_fd(next);
		close(at);
		at = to;
		if (at < 0)
			return -1;
	}
	return take_fd(at);
}

enum {
	LOOP_MAJOR = 7,
	MOUNTS_MAX = 16 << 20, /* bytes */
	NESTED_MAX = 8, /* depth of loop devices and overlays within each other; also ends cycles */
};

static struct writers of_medium(int fd, const struct stat *st, unsigned nested);

/* ---- devices -------------------------------------------------------------------------------- */

/* Returns the writers of the inode and of the file system that FD is on. */
static struct writers of_file(int fd, const struct stat *st, unsigned nested)
{
	struct writers all = of_medium(fd, st, nested);

	writers_join(&all, of_inode(st, fd));
	return all;
}

/*
 * Returns the writers of the backing file of the loop device MINOR, whose directory in sysfs is
 * DISK. If the file cannot be found under its name, anyone could have written it.
 */
static struct writers of_loop(int disk, unsigned minor, unsigned nested)
{
	auto_text struct text path = {};
	struct loop_info64 info;
	struct stat st;
	char name[32];

	if (file_read_regular(disk, "loop/backing_file", 2 * PATH_MAX, &path) || !path.len)
		return WRITERS_ANYONE;
	path.data[strcspn(path.data, "\n")] = '\0';
	auto_fd int fd = open(path.data, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return WRITERS_ANYONE;
	/*
	 * The name in sysfs may be from another mount namespace. If the device may not be opened,
	 * only the name is known.
	 */
	snprintf(name, sizeof(name), "/dev/loop%u", minor);
	auto_fd int loop = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_backing = loop < 0 ? errno == EACCES
				   : !ioctl(loop, LOOP_GET_STATUS64, &info) &&
					     info.lo_inode == st.st_ino &&
					     info.lo_device == st.st_dev;
	return is_backing ? of_file(fd, &st, nested) : WRITERS_ANYONE;
}

/* Reads the device numbers from a "dev" file in sysfs, such as "7:0". */
static bool read_device(int dir, const char *path, dev_t *ret)
{
	auto_text struct text text = {};
	uint64_t major_number, minor_number;

	if (file_read_regular(dir, path, 32, &text))
		return false;
	struct scan s = text_scan(&text);
	if (!scan_decimal(&s, &major_number) || !scan_char(&s, ':') ||
		!scan_decimal(&s, &minor_number))
		return false;
	*ret = makedev((unsigned)major_number, (unsigned)minor_number);
	return true;
}

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/*
 * Returns the writers of a block device. A virtual device may be backed by a file, be a partition
 * of one that is, or be made of other devices. Hardware has no writers but root.
 */
static struct writers of_device(dev_t device, unsigned nested)
{
	char name[64], target[PATH_MAX] = "";
	const struct dirent *entry;
	struct writers all = {};
	dev_t other;

	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u", major(device), minor(device));
	bool known = readlink(name, target, sizeof(target) - 1) > 0;
	if (!nested || (!known && major(device) == LOOP_MAJOR))
		return WRITERS_ANYONE;
	if (!strstr(target, "/virtual/"))
		return (struct writers){};
	auto_fd int disk = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!faccessat(disk, "partition", F_OK, 0) && read_device(disk, "../dev", &other))
		return of_device(other, nested - 1);
	if (!faccessat(disk, "loop", F_OK, 0))
		return of_loop(disk, minor(device), nested - 1);
	/* a device mapper or RAID device: of the devices that it is made of */
	int fd = openat(disk, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scope_guard(close_directory) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && (entry = readdir(dir))) {
		char path[sizeof(entry->d_name) + 8];

		snprintf(path, sizeof(path), "%s/dev", entry->d_name);
		if (*entry->d_name != '.' && read_device(dirfd(dir), path, &other))
			writers_join(&all, of_device(other, nested - 1));
	}
	return all;
}

/* ---- mounts --------------------------------------------------------------------------------- */

/*
 * Returns the writers of the layers of the overlay that ST is in. The paths of layers are those at
 * mount time and may lead elsewhere now, so files of root also count as written by those who could
 * have moved a layer. Skips layers not found here: they are in another mount namespace.
 */
static struct writers of_overlay(const struct mount *mount, const struct stat *st, unsigned nested)
{
	scope_guard(overlay_deinit) struct overlay overlay = {};
	const struct writers owner = writers_of_user(st->st_uid);
	struct writers all = {}, movers = {};

	overlay_parse(mount->options, &overlay);
	for (size_t i = 0; i < overlay.layers.len; i++) {
		auto_free char *path = overlay_layer_path(&overlay, i);
		auto_fd int fd = path ? writers_walk(AT_FDCWD, path, false, true, &movers) : -1;
		struct stat layer;

		if (fd < 0 || fstat(fd, &layer))
			continue;
		writers_join(&all, of_medium(fd, &layer, nested - 1));
		writers_join(&movers, of_entry(fd, st));
	}
	if (writers_are_root(&owner))
		writers_join(&all, movers);
	return all;
}

/*
 * Returns the writers of a file system that is mounted nosuid, or is btrfs. Desktops mount media
 * that a user plugs in, and image files, nosuid below /media and /run/media: anyone could have
 * written those. The files of btrfs have a device number of major 0, so the mount's source says
 * which device they are on.
 */
static struct writers of_source(const struct mount *mount, unsigned nested)
{
	struct stat st;

	if (!strncmp(mount->point, "/media/", 7) || !strncmp(mount->point, "/run/media/", 11))
		return WRITERS_ANYONE;
	if (*mount->source != '/' || mount->dev_major)
		return (struct writers){};
	if (stat(mount->source, &st))
		return strncmp(mount->source, "/dev/loop", 9) ? (struct writers){} : WRITERS_ANYONE;
	return S_ISBLK(st.st_mode) ? of_device(st.st_rdev, nested) : (struct writers){};
}

/*
 * Returns the writers of the file system of FD according to mountinfo. The mount is that of FD, or,
 * if FD is from another mount namespace, one with the same device number.
 */
static struct writers of_mounts(
	int fd, const struct stat *st, const struct statfs *fs, unsigned nested)
{
	scope_guard(mountinfo_deinit) struct mountinfo mounts = {};
	auto_text struct text text = {};
	struct writers all = {};
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) || !(stx.stx_mask & STATX_MNT_ID))
		stx.stx_mnt_id = 0;
	(void)!file_read_regular(AT_FDCWD, "/proc/self/mountinfo", MOUNTS_MAX, &text);
	mountinfo_parse(text.data, text.len, &mounts);
	vec_each(mount, &mounts.mounts) {
		if (mount->id != stx.stx_mnt_id &&
			makedev(mount->dev_major, mount->dev_minor) != st->st_dev)
			continue;
		if (fs->f_type == FUSE_SUPER_MAGIC) {
			/* the user who mounted it decides what it contains */
			const char *user = strstr(mount->options, ",user_id=");

			/* virtiofs has no user_id, and the host of a virtual machine is not a user */
			return user ? writers_of_user(
					      (uid_t)strtoul(user + strlen(",user_id="), NULL, 10))
				    : (struct writers){};
		}
		if (fs->f_type == OVERLAYFS_SUPER_MAGIC)
			return of_overlay(mount, st, nested);
		writers_join(&all, of_source(mount, nested));
	}
	return fs->f_type == FUSE_SUPER_MAGIC ? WRITERS_ANYONE : all;
}

/*
 * Returns those who control the content of FD's file system, whatever its permissions are. NESTED
 * is how many more levels of file systems within each other are followed; at 0, it is anyone.
 */
static struct writers of_medium(int fd, const struct stat *st, unsigned nested)
{
	struct writers all = {};
	struct statfs fs;

	if (!nested || fstatfs(fd, &fs))
		return WRITERS_ANYONE;
	if (major(st->st_dev))
		all = of_device(st->st_dev, nested);
	if (fs.f_type == FUSE_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC ||
		fs.f_type == BTRFS_SUPER_MAGIC || fs.f_flags & ST_NOSUID)
		writers_join(&all, of_mounts(fd, st, &fs, nested));
	all.medium = !writers_are_root(&all);
	return all;
}

struct writers writers_of_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? WRITERS_ANYONE : of_file(fd, &st, NESTED_MAX);
}

struct writers writers_of_directory(int dirfd, const char *path)
{
	auto_fd int fd = openat(dirfd, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return (struct writers){};
	struct writers all = of_medium(fd, &st, NESTED_MAX);
	writers_join(&all, of_owner(&st, true));
	return all;
}
