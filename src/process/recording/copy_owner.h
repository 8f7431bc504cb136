/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of which process and mapping a copy is. */
#pragma once

#include <stdbool.h>

#include "process/recording/life.h"

/*
 * Whether COPY, which is of LIFE's ID, is of the file of MAPPING, one of LIFE's: by what was mapped when it was
 * made, in the same program, with no event lost that could tell otherwise.
 */
bool recorded_copy_is_of(const struct recorded_life *life, const struct recorded_row *copy,
	const struct mapping *mapping);
