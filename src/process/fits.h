/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence for or against a process being the one that a sample was taken of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/space.h"

/*
 * Returns true if code is at user ADDRESS only by randomization (ASLR), so that another program is
 * unlikely to have code there.
 */
bool fits_is_random(uint64_t address);
/*
 * Returns true if only the program itself can be at user ADDRESS, which is random for each exec. It
 * cannot be unmapped, so a file that is mapped there was mapped at each sample with the address.
 */
bool fits_is_program(uint64_t address);
/*
 * Returns true if a thread of the live process SPACE has the name COMM, or had it at an earlier
 * call; for a recorded process, if it ever had that name.
 */
bool fits_comm(const struct space *space, const char *comm);
/*
 * Returns true if the live process SPACE may have had children that exited: it waited for some, or
 * ignores SIGCHLD. It is unknown what they ran.
 */
bool fits_had_children(const struct space *space);
