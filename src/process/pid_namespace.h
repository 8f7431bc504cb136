/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates process IDs of a container's PID namespace to those of /proc. */
#pragma once

#include <stdint.h>

#include "process/procfs.h"
#include "util/table.h"

struct pid_namespace {
	int64_t member; /* a process of the namespace, by its ID in /proc; 0 for no translation */
	struct table by_pid; /* ID in the namespace → ID in /proc */
	int64_t scanned; /* last scan of /proc, in seconds of CLOCK_MONOTONIC, plus 1; 0 if none */
};

/*
 * Returns the ID in PROC_ROOT of the process or thread that has ID PID in the namespace, which must
 * have a member; it may be in a descendant namespace. Returns -1 if there is none, or if the
 * namespace cannot be inspected.
 */
int64_t pid_namespace_translate(struct pid_namespace *pids, const char *proc_root, int64_t pid);
/* The number of a process or thread in a PID namespace. */
struct pid_number {
	uint64_t namespace; /* inode */
	int64_t pid;
};
/*
 * Sets RET to the numbers of the process or thread DIR_FD in the PID namespaces below /proc's own
 * that it is in, outermost first. Returns how many; 0 if they cannot be inspected.
 */
size_t pid_namespace_numbers(int dir_fd, struct pid_number ret[STATUS_PIDS_MAX]);
