/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of /proc/PID/mountinfo (Documentation/filesystems/proc.rst, 3.5): which part of which
 * file system is where in a process's tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct mount {
	uint64_t id;
	uint32_t dev_major, dev_minor; /* of the file system, as maps shows it for its files */
	const char *root;   /* the file system's directory or file that is mounted; starts with / */
	const char *point;  /* where, relative to the process's root; starts with / */
	const char *type;   /* "overlay", "btrfs" */
	const char *source; /* "/dev/sda1", "tmpfs"; "": empty */
	const char *options; /* of the file system (super options), escapes of the kernel kept */
};

/*
 * In the order of the text: of two mounts on one point the later is on top. Zero-filled is empty.
 */
struct mountinfo {
	struct VEC(struct mount) mounts;
	struct arena strings;
	bool tried; /* the owner's mark: it was read, or cannot be */
};

void mountinfo_deinit(struct mountinfo *mountinfo);
/*
 * Adds the mounts of TEXT. Lines that are none, and mounts of what was deleted since, are skipped
 * and counted in the result.
 */
size_t mountinfo_parse(const char *text, size_t len, struct mountinfo *ret);
/* The mount with this ID, NULL if there is none. */
const struct mount *mountinfo_by_id(const struct mountinfo *mountinfo, uint64_t id);
/* The type of the file system with this device, "" if none of the mounts has it. */
const char *mountinfo_type(
	const struct mountinfo *mountinfo, uint32_t dev_major, uint32_t dev_minor);
/*
 * What is left of PATH below the directory DIR, by whole components: "lib/x" of "/usr/lib/x" below
 * "/usr", "" when they are equal. NULL: PATH is not there. Both start with /.
 */
const char *mountinfo_below(const char *path, const char *dir);
/* Turns the octal escapes of procfs (\040) in S into bytes, in place. */
void mountinfo_unescape(char *s);
