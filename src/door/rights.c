// SPDX-License-Identifier: GPL-2.0-or-later
#include "door/rights.h"

#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/xalloc.h"

/* Calls the system call for this thread alone; the C library's function changes all threads. */
static int set_groups(int n, const gid_t *groups)
{
	return (int)syscall(SYS_setgroups, n, groups);
}

/* Returns the file system user ID in use: an invalid ID changes nothing (setfsuid(2)). */
static uid_t user_now(void)
{
	return (uid_t)setfsuid((uid_t)-1);
}

static gid_t group_now(void)
{
	return (gid_t)setfsgid((gid_t)-1);
}

static void save(struct rights *rights)
{
	int n = getgroups(0, NULL);

	rights->own_uid = user_now();
	rights->own_gid = group_now();
	rights->groups = xcalloc(n > 0 ? (size_t)n : 0, sizeof(gid_t));
	rights->n_groups = n > 0 ? getgroups(n, rights->groups) : 0;
}

void rights_take(uid_t uid, gid_t gid, struct rights *ret)
{
	*ret = (struct rights){.uid = uid};
	if (!uid || uid == user_now())
		return;
	save(ret);
	ret->taken = !set_groups(0, NULL);
	if (ret->taken) {
		(void)setfsgid(gid);
		(void)setfsuid(uid);
	}
	/* The kernel drops file capabilities with the user, but not if the switch was refused. */
	ret->limited = !ret->taken || user_now() != uid || group_now() != gid;
}

void rights_restore(struct rights *rights)
{
	if (rights->taken) {
		(void)setfsuid(rights->own_uid);
		(void)setfsgid(rights->own_gid);
		if (rights->n_groups >= 0)
			(void)set_groups(rights->n_groups, rights->groups);
		/* changing the user cleared it, though the program is the same as before */
		(void)prctl(PR_SET_DUMPABLE, 1);
	}
	free(rights->groups);
	*rights = (struct rights){};
}

bool rights_allow(const struct rights *rights, int fd)
{
	struct stat st;

	if (!rights->limited)
		return true;
	return !fstat(fd, &st) &&
	       (st.st_mode & S_IROTH || (st.st_uid == rights->uid && st.st_mode & S_IRUSR));
}
