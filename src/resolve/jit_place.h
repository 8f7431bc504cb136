/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of JIT code. */
#pragma once

#include "resolve/place.h"

/*
 * Sets LOCATION by perf map or jitdump at PLACE's address (EXACT) or one byte before, or to PLACE's
 * own location if they have no entry. A later call may find more.
 */
void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location);
/* Returns true if place_name_jit() may give another result than the last time. */
bool place_jit_changed(const struct place *place, bool exact);
