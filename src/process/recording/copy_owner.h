/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which mapping of which process a copied file belongs to. */
#pragma once

#include <stdbool.h>

#include "process/recording/life.h"

/*
 * Returns true if COPY, a row of LIFE's ID, is a copy of the file of MAPPING, a mapping of LIFE:
 * the same program had that file mapped there while the copy was made, and no lost event could
 * contradict that.
 */
bool recorded_copy_is_of(const struct recorded_life *life, const struct recorded_row *copy,
	const struct mapping *mapping);
