/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that JIT compilers generated in a process, from perf maps and jitdumps: their current
 * content for a live process, the recorded content for a recorded one.
 */
#pragma once

#include "process/space.h"

/*
 * Returns the code at ADDRESS from SINCE to UNTIL (ns, CLOCK_MONOTONIC; 0 if unknown). Reads the
 * files of a live process again if they were last read before UNTIL.
 */
struct jit_code jit_find(
	const struct space *space, uint64_t since, uint64_t until, uint64_t address);
/* Returns true if a live process was found to have a perf map or a jitdump. */
bool jit_has_files(const struct space *space);
/* Reads the recorded code of RECORD into RET, which must be empty. */
void recorded_jit_read(const struct process_record *record, struct jit_map *ret);
/* Changes whenever results of jit_find() may have changed. */
uint64_t jit_version(const struct space *space);
