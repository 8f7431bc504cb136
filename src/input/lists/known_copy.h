/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of what was found out before of the slots of a stack. */
#pragma once

#include <stddef.h>

#include "model/frame.h"
#include "util/arena.h"

/* Copies N locations with all that they point to; entries may be NULL. */
const struct location *const *known_copy(
	struct arena *memory, const struct location *const *known, size_t n);
