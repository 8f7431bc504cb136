/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of places that a JIT compiler made code for. */
#pragma once

#include "resolve/place.h"

/*
 * Makes LOCATION what JIT compilers say is at PLACE's address (EXACT) or one byte before, or
 * PLACE's own location when they know of nothing. They may know more the next time.
 */
void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location);
/* Whether place_name_jit() may have another answer than the last time. */
bool place_jit_changed(const struct place *place, bool exact);
