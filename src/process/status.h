/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/PID/status (fs/proc/array.c, proc_pid_status), as far as it is needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATUS_PIDS_MAX 33 /* MAX_PID_NS_LEVEL nested namespaces and the first */

/* The numbers of one task, from the reader's PID namespace to its innermost. */
struct status_pids {
	int64_t pids[STATUS_PIDS_MAX];
	size_t n;
};

struct status {
	struct status_pids process, thread; /* NStgid and NSpid; n 0: not said */
	uint64_t uid;			    /* effective, as the reader's user namespace sees it */
};

/* False: TEXT does not have all of these. */
bool status_parse(const char *text, size_t len, struct status *ret);
/* Reads the status of the process whose /proc directory DIRFD is. */
bool status_read(int dirfd, struct status *ret);
