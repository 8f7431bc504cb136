/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What speaks for or against a process being the one that a sample was taken of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "process/space.h"

/* Whether code is at this user address by chance only, so that no other program has some there. */
bool fits_is_random(uint64_t address);
/*
 * Whether a thread of the live process SPACE is called COMM, or was when another name was asked for; of a recorded
 * one, whether it ever was.
 */
bool fits_comm(const struct space *space, const char *comm);
/*
 * Whether the live process SPACE may have had children that have ended: it has waited for some, or the
 * kernel was to forget them. Nothing tells what they ran.
 */
bool fits_had_children(const struct space *space);
