// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finders that translate paths by mounts. The process's mountinfo gives the path in the file system
 * for the device and path of the mapping; our own mountinfo shows where that file system is mounted
 * here.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "object/find/finder.h"
#include "door/mountinfo.h"
#include "process/overlay_lookup.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A mount that may contain the mapped file, and the path of the file in its file system. */
struct origin {
	const struct mount *mount;
	char *path; /* owned; starts with / */
};

struct origins VEC(struct origin);

static void origins_deinit(struct origins *origins)
{
	vec_free_each(origins, path);
	vec_deinit(origins);
}

/* Orders by depth of the mount point, deepest first; for stacked mounts, the top one first. */
COMPARE(compare_origins, struct origin,
	order_of(strlen(b->mount->point), strlen(a->mount->point)) ?: order_of(b->mount, a->mount))

/*
 * Returns true if MOUNT has the mapping's device, or the mapping has none, as in recorded events
 * with a build ID. Then the path alone selects the mount.
 */
static bool is_device(const struct mount *mount, const struct mapping *mapping)
{
	return (!mapping->dev_major && !mapping->dev_minor) ||
	       mount_is_on(mount, mapping->dev_major, mapping->dev_minor);
}

static char *join(const char *dir, const char *below)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return *below ? xasprintf("%.*s/%s", (int)len, dir, below) : xstrndup(dir, len ? len : 1);
}

/*
 * Adds the mounts that PATH may be on. With OVERLAYS these are overlays of any device, because maps
 * of older kernels does not show their device.
 */
static void add_origins(const struct mountinfo *mounts, const struct mapping *mapping,
	const char *path, bool overlays, struct origins *ret)
{
	vec_each(mount, &mounts->mounts) {
		const char *below = mountinfo_below(path, mount->point);

		if (!below ||
			!(overlays ? !strcmp(mount->type, "overlay") : is_device(mount, mapping)))
			continue;
		vec_push(ret, (struct origin){mount, join(mount->root, below)});
	}
	vec_sort(ret, compare_origins);
}

/*
 * Finds the mounts that the mapping's path may be on. The process's mountinfo shows only mounts
 * below the process's root, with paths relative to it. It is empty if that root is not a mount
 * point (chroot); the mount namespace may still be ours. A recorded path of a process that is gone
 * may be relative to its root or to that of its namespace.
 */
static void find_origins(const struct search *search, bool overlays, struct origins *ret)
{
	const struct mapping *mapping = search->mapping;
	const struct mountinfo *mounts = space_mounts(search->space), *here = search->here;
	auto_free char *root = space_root(search->space);
	const char *below = mountinfo_below(mapping->path, root);
	auto_free char *inside = below ? join("/", below) : NULL;
	auto_free char *above = join(root, mapping->path + 1);
	bool gone = space_dir(search->space) < 0 && root[1];

	if (inside || gone)
		add_origins(mounts, mapping, inside ?: mapping->path, overlays, ret);
	if (gone)
		add_origins(mounts, mapping, above, overlays, ret);
	if (!ret->len)
		add_origins(here, mapping, mapping->path, overlays, ret);
	if (gone)
		add_origins(here, mapping, above, overlays, ret);
}

/* Opens BELOW on the mount at POINT here. BELOW is "" if a single file is mounted. */
static int open_on_mount(struct search *search, const char *point, const char *below)
{
	if (!*below)
		return search_open(search, AT_FDCWD, point, 0, NULL);
	auto_fd int dir = open(point, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -errno : search_open(search, dir, below, DOOR_BENEATH, NULL);
}

/*
 * Offers PATH in the file system of FROM (NULL: the mapping's), everywhere it is mounted here, and
 * sets MOUNTED if it is. Returns true to stop.
 */
static bool offer_here(
	struct search *search, const struct mount *from, const char *path, bool *mounted)
{
	const struct mountinfo *here = search->here;

	for (size_t i = here->mounts.len; i-- > 0;) {
		const struct mount *mount = &here->mounts.data[i];
		const char *below = mountinfo_below(path, mount->root);

		if (!(from ? mount_is_on(mount, from->dev_major, from->dev_minor)
			   : is_device(mount, search->mapping)))
			continue;
		*mounted = true;
		if (!below)
			continue;
		auto_free char *here_path = join(mount->point, below);
		if (search->offer(search, open_on_mount(search, mount->point, below), here_path,
			    PROOF_NONE))
			return true;
	}
	return false;
}

void find_mountinfo(struct search *search)
{
	scope_guard(origins_deinit) struct origins origins = {};
	bool mounted = false;

	if (*search->mapping->path != '/')
		return;
	find_origins(search, false, &origins);
	vec_each(origin, &origins)
		if (offer_here(search, origin->mount, origin->path, &mounted))
			return;
	/* Without origins, guess that the process's root is the root of the file system. */
	if (!origins.len && offer_here(search, NULL, search->mapping->path, &mounted))
		return;
	if (!mounted)
		search->offer(search, -ENODEV, search->mapping->path, PROOF_NONE);
}

/*
 * Offers the file of the merged tree, then those it hides in lower layers: after a copy-up, the
 * mapped file is there. Returns true to stop.
 */
static bool offer_layers(struct search *search, const struct origin *origin)
{
	scope_guard(overlay_deinit) struct overlay overlay = {};
	/* Before Linux 6.6, maps showed device and inode of the layer's file. */
	enum proof proof = is_device(origin->mount, search->mapping) ? PROOF_LAYER : PROOF_NONE;

	overlay_parse(origin->mount->options, &overlay);
	for (size_t below = 0; below <= overlay.layers.len; below++) {
		auto_free char *found = NULL;
		auto_fd int fd = overlay_open(&overlay, origin->path + 1, below, &found);

		if (fd < 0)
			return !below && search->offer(search, fd, origin->path, proof);
		int file = file_reopen_regular(fd);
		if (search->offer(search, file < 0 ? -errno : file, found, proof))
			return true;
	}
	return false;
}

void find_overlay(struct search *search)
{
	scope_guard(origins_deinit) struct origins origins = {};

	if (*search->mapping->path != '/')
		return;
	find_origins(search, true, &origins);
	vec_each(origin, &origins)
		if (offer_layers(search, origin))
			return;
}
