// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/way.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { LINKS_MAX = 40 };

struct path_walk {
	int root; /* AT_FDCWD: our own root */
	int at;	  /* O_PATH descriptor, owned */
	bool moved;
	unsigned links;
	struct text rest;
	struct writers *writers;
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

/* Puts the target of LINK, which is in the current directory, in front of the remaining path. */
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
		walk_to(walk,
			openat(walk->root, walk->root == AT_FDCWD ? "/" : ".", O_PATH | O_CLOEXEC));
	return walk->at >= 0;
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
	bool found = next >= 0 && !fstat(next, &st);
	bool link = found && S_ISLNK(st.st_mode) && !is_proc(next);
	if (link || (found ? walk->moved || writers_has_names(&st) : walk->moved)) {
		const struct writers writers = writers_of_entry(walk->at, found ? &st : NULL);

		writers_join(walk->writers, &writers);
	}
	if (!found)
		return false;
	if (link)
		return walk_link(walk, next);
	/* a magic link of procfs has no path to follow */
	walk_to(walk,
		S_ISLNK(st.st_mode) ? openat(walk->at, step, O_PATH | O_CLOEXEC) : take_fd(next));
	return walk->at >= 0;
}

int way_walk(int dirfd, const char *path, unsigned how, struct writers *writers)
{
	const bool from_root = *path == '/' && !(how & WAY_IN_ROOT);
	scope_guard(walk_deinit) struct path_walk walk = {
		.root = how & WAY_IN_ROOT ? dirfd : AT_FDCWD,
		.at = openat(dirfd, from_root ? "/" : ".", O_PATH | O_CLOEXEC),
		.moved = how & WAY_MOVED,
		.writers = writers,
	};

	text_add_string(&walk.rest, path);
	while (walk.rest.len)
		if (!walk_step(&walk))
			return -1;
	return take_fd(walk.at);
}
