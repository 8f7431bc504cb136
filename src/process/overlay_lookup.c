// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/overlay_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The state of the lookup in one layer. */
struct position {
	int root;	  /* O_PATH on the directory of the layer */
	int dir;	  /* O_PATH on the file or directory reached; -1 if nothing is there */
	struct text path; /* path of DIR, for messages */
	size_t root_len;  /* length of the layer's directory in PATH */
	struct text next; /* next component to look up; a redirect may change it */
};

struct positions VEC(struct position);

static void positions_deinit(struct positions *positions)
{
	vec_each(position, positions) {
		cleanup_fd(&position->root);
		cleanup_fd(&position->dir);
		text_deinit(&position->path);
		text_deinit(&position->next);
	}
	vec_deinit(positions);
}

static void close_dir(struct position *position)
{
	cleanup_fd(&position->dir);
	position->dir = -1;
}

/*
 * Reads an attribute of overlayfs; unprivileged mounts use "user." names. Returns false if FD has
 * none.
 */
static bool read_attribute(int fd, const char *name, char *ret, size_t size)
{
	static const char *const spaces[] = {"trusted", "user"};
	char self[32], full[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	array_each(space, spaces, array_len(spaces)) {
		snprintf(full, sizeof(full), "%s.overlay.%s", *space, name);
		ssize_t len = getxattr(self, full, ret, size - 1);

		if (len >= 0) {
			ret[len] = '\0';
			return true;
		}
	}
	return false;
}

static bool has_attribute(int fd, const char *name)
{
	char value[64];

	return read_attribute(fd, name, value, sizeof(value));
}

/* Returns true if the directory FD is marked as opaque in the way WANTED. */
static bool is_opaque(int fd, char wanted)
{
	char opaque[8];

	return read_attribute(fd, "opaque", opaque, sizeof(opaque)) && *opaque == wanted;
}

/* Opens layer NUMBER. A data-only layer is searched only after an absolute redirect. */
static int open_layer(const struct overlay *overlay, size_t number, struct position *ret)
{
	bool data = number >= overlay->layers.len - overlay->n_data;
	auto_free char *path = overlay_layer_path(overlay, number);
	int fd = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return path ? -errno : -ENOENT;
	*ret = (struct position){.root = fd, .dir = data ? -1 : dup(fd)};
	text_add_string(&ret->path, path);
	ret->root_len = ret->path.len;
	return 0;
}

/*
 * Makes REDIRECT the next component of the layers from FROM on: it is the path of a renamed
 * directory in the layers below.
 */
static void follow_redirect(struct positions *positions, size_t from, const char *redirect)
{
	for (size_t i = from; i < positions->len; i++) {
		struct position *position = &positions->data[i];

		text_clear(&position->next);
		text_add_string(&position->next, redirect);
		if (*redirect != '/')
			continue;
		/* an absolute redirect is relative to the layer's root */
		close_dir(position);
		position->dir = dup(position->root);
		position->path.len = position->root_len;
	}
}

/* What a layer has at the next component. */
enum step {
	STEP_NOTHING,
	STEP_DIRECTORY,
	STEP_LAST_DIRECTORY, /* opaque: hides the layers below */
	STEP_FILE,
	STEP_FILE_DATA_BELOW, /* metacopy: the bytes are in a layer below */
	STEP_WHITEOUT,
};

static enum step classify(int dir, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || (S_ISCHR(st.st_mode) && !st.st_rdev))
		return STEP_WHITEOUT;
	if (S_ISDIR(st.st_mode))
		return is_opaque(fd, 'y') ? STEP_LAST_DIRECTORY : STEP_DIRECTORY;
	/* an empty file marked as a whiteout, in a directory marked as having such (Linux 6.7) */
	if (S_ISREG(st.st_mode) && !st.st_size && has_attribute(fd, "whiteout") &&
		is_opaque(dir, 'x'))
		return STEP_WHITEOUT;
	return S_ISREG(st.st_mode) && has_attribute(fd, "metacopy") ? STEP_FILE_DATA_BELOW
								    : STEP_FILE;
}

/* Moves POSITION down by its next component. Returns 0 or a negative errno if it cannot be read. */
static int step(struct position *position, enum step *ret)
{
	/* never leaves the directory, follows links or crosses mounts, as overlayfs */
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	const char *next = position->next.data;

	while (*next == '/')
		next++;
	int fd = (int)syscall(SYS_openat2, position->dir, next, &how, sizeof(how));
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		*ret = STEP_NOTHING;
	else if (fd < 0)
		return -errno;
	else
		*ret = classify(position->dir, fd);
	close_dir(position);
	position->dir = fd < 0 ? -1 : fd;
	text_printf(&position->path, "/%s", next);
	return 0;
}

static void drop_below(struct positions *positions, size_t keep)
{
	for (size_t i = keep; i < positions->len; i++)
		close_dir(&positions->data[i]);
}

static bool is_file(enum step what)
{
	return what == STEP_FILE || what == STEP_FILE_DATA_BELOW;
}

/*
 * Moves all positions down to NAME, top layer first. Returns the number of the layer that has the
 * file with its bytes, after skipping BELOW other such files. Returns -EISDIR if the tree has a
 * directory there, or another negative errno.
 */
static ssize_t descend(struct positions *positions, const char *name, size_t below)
{
	enum step seen = STEP_NOTHING;
	char redirect[PATH_MAX];

	vec_each(position, positions) {
		text_clear(&position->next);
		text_add_string(&position->next, name);
	}
	for (size_t i = 0; i < positions->len; i++) {
		enum step what = STEP_NOTHING;
		int err = positions->data[i].dir < 0 ? 0 : step(&positions->data[i], &what);

		if (err)
			return err;
		if (what == STEP_NOTHING)
			continue;
		if (what == STEP_WHITEOUT ||
			(seen != STEP_NOTHING && is_file(what) != is_file(seen))) {
			drop_below(positions, i);
			break;
		}
		if (what == STEP_FILE && !below--)
			return (ssize_t)i;
		seen = what;
		if (read_attribute(positions->data[i].dir, "redirect", redirect, sizeof(redirect)))
			follow_redirect(positions, i + 1, redirect);
		if (what == STEP_LAST_DIRECTORY) {
			drop_below(positions, i + 1);
			break;
		}
	}
	return seen == STEP_NOTHING || is_file(seen) ? -ENOENT : -EISDIR;
}

int overlay_open(const struct overlay *overlay, const char *path, size_t below, char **found_ret)
{
	scope_guard(positions_deinit) struct positions positions = {};
	auto_free char *copy = xstrdup(path);
	ssize_t found = -ENOENT;
	char *rest = NULL;
	int err = -ENOENT;

	/* the upper layer of a removed container is gone, but its file may be in a lower layer */
	for (size_t i = 0; i < overlay->layers.len; i++) {
		struct position position;

		err = open_layer(overlay, i, &position);
		if (!err)
			vec_push(&positions, position);
		else if (err != -ENOENT)
			return err;
	}
	if (!positions.len)
		return err;
	for (char *name = strtok_r(copy, "/", &rest); name; name = strtok_r(NULL, "/", &rest)) {
		if (found >= 0 || !strcmp(name, ".") || !strcmp(name, ".."))
			return -ENOENT;
		found = descend(&positions, name, rest && *rest ? 0 : below);
		if (found < 0 && found != -EISDIR)
			return (int)found;
	}
	if (found < 0)
		return (int)found;
	struct position *position = &positions.data[found];
	*found_ret = text_take(&position->path);
	return take_fd(position->dir);
}
