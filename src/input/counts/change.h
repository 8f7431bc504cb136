/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes of live maps that were given: values that went on counting between their reading and their
 * deletion, of which only what came since is given, and entries of queues.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/join.h"
#include "util/error.h"

/* The map called NAME of ALL, if it was given; NULL: it was not. */
struct count_join *counts_given(const struct count_joins *all, const char *name);
/*
 * ENTRIES (N, one for each CPU, or one) are what a key of COUNTS, which was given, held when it was
 * deleted. RET_OTHER: they are not what it held before and something more, but say something else;
 * nothing is given then.
 */
struct error *count_change_emit(struct join *join, struct count_join *counts,
	const struct map_entry *entries, size_t n, bool *ret_other) must_check;
/* The N entries are all that COUNTS has then, and are given. */
struct error *count_taken_emit(struct join *join, struct count_join *counts,
	const struct map_entry *entries, size_t n) must_check;
