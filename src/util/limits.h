/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource limits of the process: descriptors and memory. When they run out the program ends, so
 * that nothing merely looks absent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Raises the soft limit of open files to the hard one, but at most to 65,536. Returns the old soft
 * limit, for child processes: some programs cannot handle descriptors above 1,023.
 */
uint64_t limits_raise_files(void);
void limits_set_files(uint64_t soft);
/* Returns the soft limit of open files. */
uint64_t limits_files(void);
/* Returns true if, with BYTES more, the program would use at most half of the machine's memory. */
bool limits_has_memory(uint64_t bytes);
/*
 * Ends the program with status 2 if ERRNUM says that descriptors (EMFILE, ENFILE) or memory
 * (ENOMEM) ran out: what cannot be opened or read for that reason would look absent or damaged.
 * Keeps errno.
 */
void limits_check(int errnum);
