/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the perf map and jitdumps of a process: perf-PID.map in its own /tmp by its own PID, else
 * in our /tmp by our PID for it; jitdumps by their mapping. Anybody can write to /tmp, so symbolic
 * links and files of other users or older processes are not trusted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "door/writers.h"
#include "process/mapping.h"
#include "util/text.h"

struct jit_owner {
	int64_t inner, outer; /* PID in its own PID namespace, and in /proc */
	struct writers user;  /* effective user, and the group of its directory in /proc */
	int64_t started;      /* start time in seconds since 1970; 0 if unknown */
	/* O_PATH on its /tmp, usable after its exit; owned; -1 if none */
	int tmp;
};

/* Reads the process DIR_FD, its /proc/PID. Returns false on failure; RET.tmp is then -1. */
bool jit_owner_read(int dir_fd, struct jit_owner *ret);
/* Reads the user again, which a process may change. */
void jit_owner_refresh(int dir_fd, struct jit_owner *owner);
void jit_owner_deinit(struct jit_owner *owner);

/* Opens the perf map. Returns -1 if none can be trusted, and adds the reasons to REFUSED. */
int jit_owner_open_map(const struct jit_owner *owner, struct text *refused);
/* Returns true if MAPPING is of a jitdump, ".../jit-4711.dump". */
bool jit_owner_is_jitdump(const struct mapping *mapping);
/*
 * Opens the file of such a MAPPING of the process DIR_FD. Returns -1 on failure, and adds the
 * reason to REFUSED.
 */
int jit_owner_open_dump(int dir_fd, const struct mapping *mapping, struct text *refused);
/* Returns true if MAPPING may contain generated code: anonymous memory or an unnamed file. */
bool jit_owner_may_hold_code(const struct mapping *mapping);
