/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of what was found out before of the slots of a stack. */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"

/* Copies of frames that are a name alone, by the name: they are most of folded stacks. */
struct known_copies {
	struct table by_name; /* → address of the copy, in the memory of known_copy() */
	uint64_t serials;     /* given to copies, from SERIAL_KNOWN on */
};

/* Copies N locations with all that they point to; entries may be NULL. Clear BY_NAME when MEMORY is cleared. */
const struct location *const *known_copy(struct known_copies *copies, struct arena *memory,
	const struct location *const *known, size_t n);
