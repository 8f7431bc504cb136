/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses /proc/PID/mountinfo (Documentation/filesystems/proc.rst, 3.5): which part of which file
 * system is mounted where in a process's file tree, and the layers of overlays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct mount {
	uint64_t id;
	uint32_t dev_major, dev_minor; /* device number of the file system, as in maps */
	/* path of the mounted directory or file in the file system; starts with / */
	const char *root;
	const char *point;   /* mount point relative to the process's root; starts with / */
	const char *type;    /* such as "overlay" or "btrfs" */
	const char *source;  /* such as "/dev/sda1" or "tmpfs"; "" if empty */
	const char *options; /* super options, with the kernel's octal escapes */
};

/*
 * The mounts in the order of the file: of two mounts on one mount point, the later is on top. A
 * zero-filled struct is empty.
 */
struct mountinfo {
	struct VEC(struct mount) mounts;
	struct arena strings;
	bool tried; /* for the owner: true once reading was attempted */
};

void mountinfo_deinit(struct mountinfo *mountinfo);
/*
 * Adds the mounts in TEXT, of LEN bytes. Returns how many lines were skipped because they are
 * malformed or describe a deleted bind mount.
 */
size_t mountinfo_parse(const char *text, size_t len, struct mountinfo *ret);
/* Returns true if MOUNT is of the file system with this device number. */
static inline bool mount_is_on(const struct mount *mount, uint32_t dev_major, uint32_t dev_minor)
{
	return mount->dev_major == dev_major && mount->dev_minor == dev_minor;
}
/* Returns the mount with this mount ID, or NULL. */
const struct mount *mountinfo_by_id(const struct mountinfo *mountinfo, uint64_t id);
/* Returns the type of the file system with this device number, or "" if no mount has it. */
const char *mountinfo_type(
	const struct mountinfo *mountinfo, uint32_t dev_major, uint32_t dev_minor);
/*
 * Returns the part of PATH below the directory DIR, compared by whole components: "lib/x" for
 * "/usr/lib/x" and "/usr", "" if both are equal. Returns NULL if PATH is not below DIR. Both start
 * with /.
 */
const char *mountinfo_below(const char *path, const char *dir);

/*
 * The directories of an overlay mount's layers, top first, from its options
 * (fs/overlayfs/params.c). The kernel does not record what relative ones are relative to.
 */
struct overlay {
	struct VEC(char *) layers; /* owned */
	size_t n_data; /* number of data-only layers (no directory tree of their own), at the end */
};

void overlay_deinit(struct overlay *overlay);
/* Parses super options as mountinfo shows them, with escapes by the kernel and by the mounter. */
void overlay_parse(const char *options, struct overlay *ret);
/*
 * Returns the path of layer NUMBER, malloc'ed, or NULL if it is not found. A relative path is
 * searched for below the parent directories of the absolute ones, innermost first, since container
 * engines keep "l/ID:…" beside the upper layer.
 */
char *overlay_layer_path(const struct overlay *overlay, size_t number);
