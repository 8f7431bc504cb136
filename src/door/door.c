// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/door.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { LINKS_MAX = 40 };

/* A way along PATH, link by link, as the kernel went. */
struct path_walk {
	int start; /* the root directory; AT_FDCWD: ours */
	int at;	   /* O_PATH, owned */
	unsigned links;
	struct text rest;
	struct writers writers;
};

static void walk_deinit(struct path_walk *walk)
{
	cleanup_fd(&walk->at);
	text_deinit(&walk->rest);
}

static bool is_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static void walk_to(struct path_walk *walk, int fd)
{
	cleanup_fd(&walk->at);
	walk->at = fd;
}

/* Puts the target of LINK, which is in the current directory, before the rest of the path. */
static bool walk_link(struct path_walk *walk, int link)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len <= 0 || ++walk->links > LINKS_MAX)
		return false;
	auto_free char *rest = text_take(&walk->rest);
	walk->rest = (struct text){};
	text_printf(&walk->rest, "%.*s/%s", (int)len, target, rest);
	if (*target == '/')
		walk_to(walk, openat(walk->start, walk->start == AT_FDCWD ? "/" : ".",
				      O_PATH | O_CLOEXEC));
	return walk->at >= 0;
}

/* Several: any of them may be a hard link that somebody else made. */
static bool has_names(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink > 1;
}

static bool walk_step(struct path_walk *walk)
{
	const char *name = walk->rest.data + strspn(walk->rest.data, "/");
	size_t len = strcspn(name, "/");
	auto_free char *step = xstrndup(name, len), *rest = xstrdup(name + len);
	struct stat st;

	text_clear(&walk->rest);
	text_add_string(&walk->rest, rest);
	if (!*step)
		return true;
	auto_fd int next = openat(walk->at, step, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0 || fstat(next, &st))
		return false;
	bool link = S_ISLNK(st.st_mode) && !is_proc(next);
	if (link || has_names(&st)) {
		const struct writers writers = writers_of_entry(walk->at, &st);

		writers_join(&walk->writers, &writers);
	}
	if (link)
		return walk_link(walk, next);
	/* The kernel's own links are no text to follow. */
	walk_to(walk,
		S_ISLNK(st.st_mode) ? openat(walk->at, step, O_PATH | O_CLOEXEC) : take_fd(next));
	return walk->at >= 0;
}

/* If the way does not lead to FOUND, somebody changed it meanwhile. */
static struct writers writers_of_links(int dirfd, const char *path, unsigned how, int found)
{
	const bool from_root = *path == '/' && !(how & DOOR_IN_ROOT);
	scope_guard(walk_deinit) struct path_walk walk = {
		.start = how & DOOR_IN_ROOT ? dirfd : AT_FDCWD,
		.at = openat(dirfd, from_root ? "/" : ".", O_PATH | O_CLOEXEC)};
	struct stat reached, wanted;

	text_add_string(&walk.rest, path);
	while (walk.rest.len)
		if (!walk_step(&walk))
			return WRITERS_ANYONE;
	return fstat(walk.at, &reached) || fstat(found, &wanted) ||
			       reached.st_ino != wanted.st_ino || reached.st_dev != wanted.st_dev
		       ? WRITERS_ANYONE
		       : walk.writers;
}

/* RESOLVE_… of openat2(2). */
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
	if (fd >= 0 && links_ret && (linked || fstat(fd, &st) || has_names(&st)))
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
