/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening files on another user's word. A path that an untrusted file names is opened with the
 * rights of that file's owner: what they may not read is not read for them, whoever runs the
 * program.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Zero-filled is nothing taken. */
struct rights {
	bool taken, limited; /* limited: the user has to be checked by rights_allow() */
	uid_t uid, own_uid;
	gid_t own_gid, *groups;
	int n_groups;
};

/*
 * From here to rights_restore() this thread opens files as user UID of group GID, without other
 * groups and capabilities. Of root, and of the user who runs the program, nothing is taken.
 */
void rights_take(uid_t uid, gid_t gid, struct rights *ret);
void rights_restore(struct rights *rights);
/*
 * False: FD is not for the user, as far as the file itself tells. For use where rights could not be
 * taken, which needs CAP_SETUID and CAP_SETGID.
 */
bool rights_allow(const struct rights *rights, int fd);
