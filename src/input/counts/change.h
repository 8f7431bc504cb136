/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of live maps that went on counting between their reading and their deletion: what was given
 * is not given again, only what came since.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/join.h"
#include "util/error.h"

/*
 * ENTRIES (N, one for each CPU, or one) are what a key of COUNTS, which was given, held when it was
 * deleted. RET_OTHER: they are not what it held before and something more, but say something else;
 * nothing is given then.
 */
struct error *count_change_emit(struct join *join, struct count_join *counts,
	const struct map_entry *entries, size_t n, bool *ret_other) must_check;
