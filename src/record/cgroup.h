/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups of version 2 (cgroups(7)): a directory with its processes, and others below it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct cgroup {
	char *path; /* of its directory; owned */
	const char *
		name; /* as /proc/PID/cgroup shows it, in PATH: "/system.slice/ssh.service", of the root "" */
};

/*
 * The cgroup that a user calls GIVEN, which is a name as above, with or without the first slash, or a
 * path below SYS_ROOT/fs/cgroup. It need not be there. The error is for a system without cgroups of
 * version 2.
 */
struct error *cgroup_find(const char *sys_root, const char *given, struct cgroup *ret) must_check;
void cgroup_deinit(struct cgroup *cgroup);
/* Opens its directory; or a negative errno (ENOTDIR: it is no cgroup of version 2). */
int cgroup_open(const struct cgroup *cgroup);
/*
 * Calls ADD for each process in the cgroup, and in those below it, as far as they are in this
 * program's PID namespace. FD is not closed.
 */
void cgroup_processes(int fd, void (*add)(void *context, uint32_t pid), void *context);
/* Whether the process whose directory of /proc DIR_FD is belongs to it, or to one below it. */
bool cgroup_holds(const struct cgroup *cgroup, int dir_fd);
