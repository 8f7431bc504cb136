/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that JIT compilers generated in a process, from perf maps and jitdumps: their current
 * content for a live process, the recorded content for a recorded one.
 */
#pragma once

#include "process/space.h"

/*
 * Returns the code at ADDRESS, of a recorded process at TIME (ns, CLOCK_MONOTONIC; 0 if unknown),
 * or NULL. Reads the files of a live process again if the last read is some milliseconds old, to
 * find newer code. LINE_RET is set to NULL if the line is unknown. Sets AMBIGUOUS if a recording
 * has other code there too and the time does not decide.
 */
const struct jit_symbol *jit_find(const struct space *space, uint64_t time, uint64_t address,
	const struct jit_line **line_ret, bool *ambiguous);
/*
 * Returns true if a live process had other code at ADDRESS before the code that jit_find()
 * returned: a sample without a time may be of either. False for a recorded process, whose code has
 * times.
 */
bool jit_replaced(const struct space *space, uint64_t address);
/* Changes whenever results of jit_find() may have changed. */
uint64_t jit_version(const struct space *space);
/*
 * Returns true if a perf map or jitdump is too large to be read completely, so that names are
 * missing.
 */
bool jit_is_limited(const struct space *space);
/* Returns a list of the files that were not trusted or not usable, with reasons, or NULL. */
const char *jit_refused(const struct space *space);
