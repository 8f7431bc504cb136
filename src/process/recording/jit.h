/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of JIT compilers that a recording has of a process. */
#pragma once

#include "process/jit/map.h"
#include "process/recording/process_record.h"

/* Reads the code of RECORD into RET, which must be empty. */
void recorded_jit_read(const struct process_record *record, struct jit_map *ret);
