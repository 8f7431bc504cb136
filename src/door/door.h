/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens each file that can name a frame or be printed, and says whose links led to it. The inode's
 * own writers are writers_of_file().
 */
#pragma once

#include "door/writers.h"

enum door {
	DOOR_IN_ROOT =
		1, /* the directory counts as /: no link and no ".." leads out of it (openat2) */
	DOOR_STORED =
		2, /* an untrusted file names the path: no magic link, nothing a kernel makes up */
	DOOR_BENEATH =
		4, /* the path is the file's place in its file system: no link, no other mount */
	DOOR_ENTRY = 8, /* the path is a name in the directory itself: no link */
};

/*
 * Opens the regular file PATH, from the directory DIRFD, for reading; HOW is a set of enum door.
 * LINKS_RET (may be NULL): those who could have put one of the symbolic links that it leads
 * through, or the file's name if it has several. -1 with errno set (EINVAL: not a regular file, or
 * none that HOW allows).
 */
int door_open(int dirfd, const char *path, unsigned how, struct writers *links_ret);
/* Why door_open() failed with ERR, for messages. */
const char *door_failure(int err);
