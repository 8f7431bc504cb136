/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files whose content may name a frame or be printed, and reports who could have put a
 * link on the way to them. The writers of the file itself are those of writers_of_file().
 */
#pragma once

#include "door/writers.h"

enum door {
	/* DIRFD is the root directory: no link and no ".." leads out of it (RESOLVE_IN_ROOT) */
	DOOR_IN_ROOT = 1,
	/* PATH comes from an untrusted file: no magic links, no files of procfs, sysfs and such */
	DOOR_STORED = 2,
	/* PATH is relative to the root of the file system: no links, no other mounts */
	DOOR_BENEATH = 4,
	DOOR_ENTRY = 8, /* PATH is a name in the directory DIRFD: no links */
};

/*
 * Opens the regular file PATH, relative to the directory DIRFD, for reading. HOW is a set of enum
 * door. LINKS_RET (may be NULL) receives those who could have put one of the symbolic links on the
 * way, or, if the file has several names, this name. Returns -1 with errno set on failure, EINVAL
 * if HOW does not allow the file or it is not a regular one.
 */
int door_open(int dirfd, const char *path, unsigned how, struct writers *links_ret);
/* Returns why door_open() failed with the errno ERR, for messages. */
const char *door_failure(int err);
