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
void writers_join(struct writers *all, struct writers more);
/* Returns true if all of INNER are also in OUTER, or could write as root. */
bool writers_within(const struct writers *inner, const struct writers *outer);
/* Returns true if nobody but root and the user running the program could write. */
bool writers_are_root(const struct writers *writers);

/* Returns the user UID, unless it is root or the one running the program. */
struct writers writers_of_user(uid_t uid);
/*
 * Returns the user ID to pass to rights_take() for paths that come from a file by WRITERS: 0 keeps
 * the rights of the running program, NOBODY has none.
 */
uid_t writers_rights(const struct writers *writers);
/* Returns true for a regular file with several names: somebody else may have made a hard link. */
bool writers_has_names(const struct stat *st);

/*
 * Walks PATH from the directory DIRFD (IN_ROOT: the root directory, as with DOOR_IN_ROOT) component
 * by component, as the kernel does. Adds to WRITERS those who could have created one of the
 * symbolic links, or one of the names of a file that has several; MOVED: or have replaced one of
 * the directories. Returns an O_PATH descriptor of the target, or -1 if the path cannot be walked
 * to its end.
 */
int writers_walk(int dirfd, const char *path, bool in_root, bool moved, struct writers *writers);

/*
 * Returns the writers of the inode that FD is open on, and those who control its file system: the
 * user who mounted a FUSE file system, the writers of the file behind a loop device, and those of
 * the layers of an overlay. A device mapper device has the writers of the devices it is made of.
 * Removable media that a desktop mounted could be written by anyone.
 */
struct writers writers_of_file(int fd);
/*
 * Returns the owner and group of the directory PATH, relative to DIRFD ("": DIRFD itself), and the
 * writers of its file system: those who may create files there.
 */
struct writers writers_of_directory(int dirfd, const char *path);
