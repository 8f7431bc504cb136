/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses /proc/PID/status (fs/proc/array.c, proc_pid_status()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATUS_PIDS_MAX 33 /* MAX_PID_NS_LEVEL nested namespaces and the initial one */

/* The IDs of a task, from the reader's PID namespace to its innermost one. */
struct status_pids {
	int64_t pids[STATUS_PIDS_MAX];
	size_t n;
};

struct status {
	struct status_pids process, thread; /* NStgid and NSpid */
	uint64_t uid;			    /* effective UID in the reader's user namespace */
};

/* Returns false if TEXT lacks any of these fields. */
bool status_parse(const char *text, size_t len, struct status *ret);
/* Reads the status of the process whose /proc directory is DIRFD. Returns false on failure. */
bool status_read(int dirfd, struct status *ret);
