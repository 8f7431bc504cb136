/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the system gives a process: descriptors and memory. When they run out, nothing looks absent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Raises the soft limit of open files to the hard one, 65,536 at most. Returns what it was, for
 * programs that are started: some cannot do with descriptors above 1,023.
 */
uint64_t limits_raise_files(void);
void limits_set_files(uint64_t soft);
/* The soft limit now. */
uint64_t limits_files(void);
/* True if the program may take so many bytes more: with them it has at most half of the memory. */
bool limits_has_memory(uint64_t bytes);
/*
 * Ends the program with status 2 if ERRNUM says that descriptors (EMFILE, ENFILE) or the kernel's
 * memory (ENOMEM) have run out: what cannot be opened for that would look as if it were not there.
 * Keeps errno.
 */
void limits_check(int errnum);
