/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files with the rights of another user. A path that comes from an untrusted file is opened
 * with the rights of that file's owner. So a program that is run by root does not reveal files that
 * the owner may not read.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

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
