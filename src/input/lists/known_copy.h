/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies locations that an earlier run resolved (`known` of struct stack). */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"

/*
 * Copies of locations that consist of a name only, by that name. Most frames of folded stacks are
 * of this kind.
 */
struct known_copies {
	struct table by_name; /* → address of the copy, in the MEMORY of known_copy() */
	uint64_t serials;     /* number of shared copies, for their serials above SERIAL_KNOWN */
};

/*
 * Copies N locations and all that they point to into MEMORY; entries may be NULL. Clear BY_NAME
 * whenever MEMORY is cleared.
 */
const struct location *const *known_copy(struct known_copies *copies, struct arena *memory,
	const struct location *const *known, size_t n);
