/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that JIT compilers made in a process, by their perf maps and jitdumps: of a live process
 * as these are now, of a recorded one as they were recorded.
 */
#pragma once

#include "process/space.h"

/*
 * The code at ADDRESS, of a recorded process at TIME (ns, CLOCK_MONOTONIC; 0: unknown). The files of a
 * live process are looked at again when they have not been for a moment, so that code made in the
 * meantime is found. NULL: none is known. LINE_RET is NULL where no line is. AMBIGUOUS: a recording
 * has other code there too, and the time does not tell.
 */
const struct jit_symbol *jit_find(const struct space *space, uint64_t time, uint64_t address,
	const struct jit_line **line_ret, bool *ambiguous);
/*
 * Whether other code was there before, by what jit_find() found in a live process: a sample without a
 * time may be of that. What a recording says is of its own time.
 */
bool jit_replaced(const struct space *space, uint64_t address);
/* Changes whenever answers of jit_find() may have changed. */
uint64_t jit_version(const struct space *space);
/* True if a perf map or jitdump is larger than is read, so that its names are missing. */
bool jit_is_limited(const struct space *space);
/* Which files were not trusted, and why; NULL: none. */
const char *jit_refused(const struct space *space);
