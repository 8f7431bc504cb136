/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JIT compilers' code that a recording has of a process. */
#ifndef PROCESS_RECORDED_JIT_H
#define PROCESS_RECORDED_JIT_H

#include "process/jit_map.h"
#include "process/recorded_life.h"

struct recorded_jits VEC(struct jit_map);

/* Fills RET with a map for each program that the process ran (struct mapping's `program` - 1). */
void recorded_jit_read(const struct recorded_life *life, struct recorded_jits *ret);

#endif
