/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users who could have written a file. A build ID or a CRC shows that two files belong together,
 * never who wrote them. The owner and mode of the inode, the file system, and the links on the path
 * do show that.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { NOBODY = 65534 }; /* user and group without rights */

/* Users besides root and the one running the program. A zero-filled struct means none. */
struct writers {
	bool anyone;
	bool medium; /* they control the file system, so its timestamps are also theirs */
	uid_t user;  /* user ID; 0: none */
	gid_t group; /* group ID, for all its members; 0: none */
};

#define WRITERS_ANYONE ((struct writers){.anyone = true})

/* Adds the writers of MORE to ALL. Two different users, or two groups, become anyone. */
void writers_join(struct writers *all, const struct writers *more);
/* Returns true if all of INNER are also in OUTER, or could write as root. */
bool writers_within(const struct writers *inner, const struct writers *outer);
/* Returns true if nobody but root and the user running the program could write. */
bool writers_are_root(const struct writers *writers);

/* Return the user UID, or the group GID, unless it is root's or that of the running program. */
struct writers writers_of_user(uid_t uid);
struct writers writers_of_group(gid_t gid);
/* Returns those who may write the inode with status ST. FD is open on it and may be O_PATH. */
struct writers writers_of_inode(const struct stat *st, int fd);
/*
 * Returns the user ID to pass to rights_take() for paths that come from a file by WRITERS: 0 keeps
 * the rights of the running program, NOBODY has none.
 */
uid_t writers_rights(const struct writers *writers);
/* Returns true for a regular file with several names: somebody else may have made a hard link. */
bool writers_has_names(const struct stat *st);
/*
 * Returns those who could have put ENTRY, a symbolic link, file or directory, into the directory
 * DIRFD, or removed it if ENTRY is NULL. In a sticky directory these are the owners of the entry
 * and of the directory. If the entry has several hard links, its owner does not count,
 * because somebody else may have made the link.
 */
struct writers writers_of_entry(int dirfd, const struct stat *entry);
