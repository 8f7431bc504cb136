/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups of version 2 (cgroups(7)): a directory with its processes, and others below it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/vec.h"

struct cgroup {
	char *path; /* of its directory; owned */
	const char *
		name; /* as /proc/PID/cgroup shows it, in PATH: "/system.slice/ssh.service", of the root "" */
};

/*
 * The cgroup that a user calls GIVEN, which is a name as above, with or without the first slash,
 * or a path below SYS_ROOT/fs/cgroup. It need not be there. The error is for a system without
 * cgroups of version 2.
 */
struct error *cgroup_find(const char *sys_root, const char *given, struct cgroup *ret) must_check;
void cgroup_deinit(struct cgroup *cgroup);
/* Opens its directory; or a negative errno (ENOTDIR: it is no cgroup of version 2). */
int cgroup_open(const struct cgroup *cgroup);
struct cgroup_pids VEC(uint32_t);
/*
 * Adds the processes in the cgroup, and in those below it, as far as they are in this program's
 * PID namespace. FD is not closed. DEPTH: how far it is below the first, 0.
 */
void cgroup_processes(int fd, int depth, struct cgroup_pids *ret);
/* Whether the process whose directory of /proc DIR_FD is belongs to it, or to one below it. */
bool cgroup_holds(const struct cgroup *cgroup, int dir_fd);
