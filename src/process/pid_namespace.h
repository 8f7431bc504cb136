/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates process IDs of a container's PID namespace to those of /proc. */
#pragma once

#include <stdint.h>

#include "util/table.h"
#include "util/text.h"

struct pid_namespace {
	int64_t member; /* a process of the namespace, by its ID in /proc; 0 for no translation */
	struct table by_pid; /* ID in the namespace → ID in /proc */
	int64_t scanned; /* last scan of /proc, in seconds of CLOCK_MONOTONIC, plus 1; 0 if none */
};

void pid_namespace_deinit(struct pid_namespace *pids);
/*
 * Returns the ID in PROC_ROOT of the process or thread that has ID PID in the namespace; it may be
 * in a descendant namespace. Returns -1 if there is none, or if the namespace cannot be inspected.
 */
int64_t pid_namespace_translate(struct pid_namespace *pids, const char *proc_root, int64_t pid);
/*
 * Appends "NAMESPACE:PID,…" for each PID namespace below /proc's own that the process or thread
 * DIR_FD is in, outermost first. Appends nothing if there is none, or if they cannot be inspected.
 */
void pid_namespace_numbers(int dir_fd, struct text *ret);
