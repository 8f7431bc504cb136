/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups of version 2 (cgroups(7)): directories of processes and of further cgroups. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/vec.h"

struct cgroup {
	char *path; /* path of the directory; owned */
	/* in PATH, as in /proc/PID/cgroup: "/system.slice/ssh.service"; of the root "" */
	const char *name;
};

/*
 * Finds the cgroup GIVEN by the user: a name as above, with or without the first slash, or a path
 * below SYS_ROOT/fs/cgroup. It need not exist. Returns an error if the system has no cgroups of
 * version 2.
 */
struct error *cgroup_find(const char *sys_root, const char *given, struct cgroup *ret) must_check;
void cgroup_deinit(struct cgroup *cgroup);
/* Opens its directory. Returns a negative errno on failure; -ENOTDIR: not a cgroup of version 2. */
int cgroup_open(const struct cgroup *cgroup);
struct cgroup_pids VEC(uint32_t);
/*
 * Adds the processes in the cgroup and in those below it that are in this program's PID namespace.
 * FD stays open. DEPTH: levels below the first cgroup; callers pass 0.
 */
void cgroup_processes(int fd, int depth, struct cgroup_pids *ret);
/* Returns true if the process is in the cgroup or in one below it. DIR_FD is /proc/PID. */
bool cgroup_holds(const struct cgroup *cgroup, int dir_fd);
