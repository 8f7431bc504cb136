/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files whose content may name a frame or be printed, and reports who could have put a
 * link on the way to them. The writers of the file itself are those of writers_of_file().
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

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

/*
 * Opens files with the rights of another user. A path that comes from an untrusted file is opened
 * with the rights of that file's owner. So a program that is run by root does not reveal files that
 * the owner may not read.
 */

/* A zero-filled struct means that no rights were taken. */
struct rights {
	bool taken, limited; /* limited: the switch failed, so rights_allow() must check the user */
	uid_t uid, own_uid;
	gid_t own_gid, *groups;
	int n_groups;
};

/*
 * Makes this thread open files as user UID and group GID, without supplementary groups and
 * capabilities, until rights_restore(). Does nothing if UID is root or the current user.
 */
void rights_take(uid_t uid, gid_t gid, struct rights *ret);
void rights_restore(struct rights *rights);
/*
 * Returns false if the owner and mode of FD do not let the user read it. Needed where rights_take()
 * could not switch, for lack of CAP_SETUID and CAP_SETGID.
 */
bool rights_allow(const struct rights *rights, int fd);
