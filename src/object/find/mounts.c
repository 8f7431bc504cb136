// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finders that translate by mounts: the mapping's device and path in the process's mountinfo give
 * the place in a file system; our own mountinfo says where that file system is here.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "object/find/finder.h"
#include "door/overlay.h"
#include "process/overlay_lookup.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/order.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A mount that may hold the mapped file, and the file's path in its file system. */
struct origin {
	const struct mount *mount;
	size_t depth; /* length of the mount point */
	char *path;   /* owned; starts with / */
};

struct origins VEC(struct origin);

static void origins_deinit(struct origins *origins)
{
	for (size_t i = 0; i < origins->len; i++)
		free(origins->data[i].path);
	vec_deinit(origins);
}

/* The deepest mount point first, of stacked ones the top; equal ones do not occur. */
COMPARE(compare_origins, struct origin,
	order_of(b->depth, a->depth) ?: order_of(b->mount, a->mount))

static bool same_device(const struct mount *a, const struct mount *b)
{
	return a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

/* An event of a recording that has the build ID has no device: the path alone says which mount. */
static bool is_device(const struct mount *mount, const struct mapping *mapping)
{
	if (!mapping->dev_major && !mapping->dev_minor)
		return true;
	return mount->dev_major == mapping->dev_major && mount->dev_minor == mapping->dev_minor;
}

static char *join(const char *dir, const char *below)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return *below ? xasprintf("%.*s/%s", (int)len, dir, below) : xstrndup(dir, len ? len : 1);
}

/* The mounts that PATH may lie on: of any device if OVERLAYS, which older kernels hid in maps. */
static void add_origins(const struct mountinfo *mounts, const struct mapping *mapping,
	const char *path, bool overlays, struct origins *ret)
{
	for (size_t i = 0; i < mounts->mounts.len; i++) {
		const struct mount *mount = &mounts->mounts.data[i];
		const char *below = mountinfo_below(path, mount->point);

		if (!below ||
			!(overlays ? !strcmp(mount->type, "overlay") : is_device(mount, mapping)))
			continue;
		const struct origin origin = {
			mount, strlen(mount->point), join(mount->root, below)};
		vec_push(ret, origin);
	}
	vec_sort(ret, compare_origins);
}

/*
 * The mapping's path as the process's mountinfo counts paths: from the process's root. What lies
 * outside of that root is in no line of it; nor is anything when the root is no mount point
 * (chroot), and then the namespace may still be ours. What is recorded of a process that is gone
 * may count from its root or from that of its namespace.
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

/* Opens BELOW on the mount that is at POINT here; "" if the mount is that one file. */
static int open_on_mount(struct search *search, const char *point, const char *below)
{
	if (!*below)
		return search_open(search, AT_FDCWD, point, 0, NULL);
	auto_fd int dir = open(point, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -errno : search_open(search, dir, below, DOOR_BENEATH, NULL);
}

/* Offers PATH of MOUNT's file system (NULL: the mapping's) wherever that is mounted here. */
static bool offer_here(struct search *search, const struct mount *from, const char *path)
{
	const struct mountinfo *here = search->here;

	for (size_t i = here->mounts.len; i-- > 0;) {
		const struct mount *mount = &here->mounts.data[i];
		const char *below = mountinfo_below(path, mount->root);

		if (!below ||
			!(from ? same_device(mount, from) : is_device(mount, search->mapping)))
			continue;
		auto_free char *here_path = join(mount->point, below);
		if (search->offer(search, open_on_mount(search, mount->point, below), here_path,
			    PROOF_NONE))
			return true;
	}
	return false;
}

/* Whether the file system is mounted here that the mapping is of, or that one of ORIGINS is. */
static bool is_mounted(const struct search *search, const struct origins *origins)
{
	const struct mountinfo *here = search->here;

	for (size_t i = 0; i < here->mounts.len; i++) {
		if (!origins->len && is_device(&here->mounts.data[i], search->mapping))
			return true;
		for (size_t k = 0; k < origins->len; k++)
			if (same_device(&here->mounts.data[i], origins->data[k].mount))
				return true;
	}
	return false;
}

void find_mountinfo(struct search *search)
{
	scope_guard(origins_deinit) struct origins origins = {};

	if (*search->mapping->path != '/')
		return;
	find_origins(search, false, &origins);
	for (size_t i = 0; i < origins.len; i++)
		if (offer_here(search, origins.data[i].mount, origins.data[i].path))
			return;
	/* Nothing said where: a root that is the whole file system is the best guess. */
	if (!origins.len && offer_here(search, NULL, search->mapping->path))
		return;
	if (!is_mounted(search, &origins))
		search->offer(search, -ENODEV, search->mapping->path, PROOF_NONE);
}

/* What the merged tree has, then what lies below: a copy-up leaves the mapped file there. */
static bool offer_layers(struct search *search, const struct origin *origin)
{
	scope_guard(overlay_deinit) struct overlay overlay = {};
	/* Before Linux 6.6 maps showed device and inode of the layer's file. */
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
	for (size_t i = 0; i < origins.len; i++)
		if (offer_layers(search, &origins.data[i]))
			return;
}
