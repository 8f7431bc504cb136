/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files in which JIT compilers say what code they made: jitdumps, which the process has mapped,
 * and perf maps, in the /tmp of the process or of the host. Anybody can write into /tmp, so what a
 * symbolic link, another user or an older process left there is not believed.
 */
#ifndef PROCESS_JIT_H
#define PROCESS_JIT_H

#include "process/space.h"

/* The process's code, read when it is first asked for. Never NULL. */
const struct jit *jit_of_space(const struct space *space);

#endif
