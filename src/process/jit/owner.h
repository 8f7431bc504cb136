/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that perf maps and jitdumps are about, and the way to them: perf-PID.map in its own
 * /tmp under its own number, then in ours under ours; jitdumps by their mapping. Anybody can write
 * into /tmp, so what a symbolic link, another user or an older process left there is not trusted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "door/writers.h"
#include "process/mapping.h"
#include "util/text.h"

struct jit_owner {
	int64_t inner, outer; /* its number in its own PID namespace and in /proc */
	struct writers user;  /* its effective user, and the group of its directory in /proc */
	int64_t started;      /* seconds since 1970; 0: unknown */
	int tmp;	      /* O_PATH on its /tmp, also when it has gone; owned, -1: none */
};

/* DIR_FD is /proc/PID. False: it cannot be read; RET has then no TMP. */
bool jit_owner_read(int dir_fd, struct jit_owner *ret);
/* A process may have become another user's since. */
void jit_owner_refresh(int dir_fd, struct jit_owner *owner);
void jit_owner_deinit(struct jit_owner *owner);

/* -1: there is none that can be trusted; REFUSED gets the reasons. */
int jit_owner_open_map(const struct jit_owner *owner, struct text *refused);
/* ".../jit-4711.dump" is mapped. */
bool jit_owner_is_jitdump(const struct mapping *mapping);
/* The file of such a mapping in the process DIR_FD; -1: not available, and REFUSED says why. */
int jit_owner_open_dump(int dir_fd, const struct mapping *mapping, struct text *refused);
/* MAPPING may hold a compiler's code: memory, or a file without a name. */
bool jit_owner_may_hold_code(const struct mapping *mapping);
