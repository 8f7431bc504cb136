/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who could have written a file. A build ID or a CRC shows that two files belong together, never
 * who wrote them; the owner and the mode of an inode, the file system that it is in, and the links
 * that led to it do.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { NOBODY = 65534 }; /* a user, and a group, without rights */

/* Users beside root and the one who runs this. Zero-filled: there are none. */
struct writers {
	bool anyone;
	bool medium; /* they have the file system in hand: its times are theirs too */
	uid_t user;  /* 0: none */
	gid_t group; /* its members; 0: none */
};

#define WRITERS_ANYONE ((struct writers){.anyone = true})

/* Adds those of MORE; where two different users or groups could write, anyone could. */
void writers_join(struct writers *all, const struct writers *more);
/* True if all of INNER are also in OUTER, or could write as root. */
bool writers_within(const struct writers *inner, const struct writers *outer);
/* True if nobody but root and who runs this could write. */
bool writers_are_root(const struct writers *writers);

/* The user UID, or the group GID, if they are not root, nor who runs this. */
struct writers writers_of_user(uid_t uid);
struct writers writers_of_group(gid_t gid);
/* Those who may write the inode ST, which FD (may be O_PATH) is open on. */
struct writers writers_of_inode(const struct stat *st, int fd);
/* Whose rights files are to be read with on their word; 0: those of who runs this. */
uid_t writers_rights(const struct writers *writers);
/*
 * Returns true for a file with several names, any of which may be a hard link that somebody else
 * made.
 */
bool writers_has_names(const struct stat *st);
/*
 * Those who could have put ENTRY (NULL: nothing), a symbolic link, a file or a directory, into the
 * directory DIRFD. A hard link has the owner of what it is a name of, so the owner of one of
 * several names says nothing, even in a sticky directory.
 */
struct writers writers_of_entry(int dirfd, const struct stat *entry);
