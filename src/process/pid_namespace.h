/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process IDs as a container counts them, turned into those that /proc counts by. */
#pragma once

#include <stdint.h>

#include "util/table.h"
#include "util/text.h"

/* Zero-filled: nothing is translated. */
struct pid_namespace {
	int64_t member;	     /* a process of the namespace, by /proc's number; 0: no translation */
	struct table by_pid; /* number inside → number in /proc */
	int64_t scanned;     /* when, in seconds of the monotonic clock; 0: never */
};

void pid_namespace_deinit(struct pid_namespace *pids);
/*
 * The number in PROC_ROOT of the process or thread that is PID in the namespace, also when it lives
 * in a namespace below. -1: there is none, or the namespace cannot be looked at.
 */
int64_t pid_namespace_translate(struct pid_namespace *pids, const char *proc_root, int64_t pid);
/*
 * Appends "NAMESPACE:PID,…" for each PID namespace below /proc's own that the process or thread
 * DIR_FD is in, the outermost first; nothing when it is in none, or they cannot be looked at.
 */
void pid_namespace_numbers(int dir_fd, struct text *ret);
