/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emits later changes of live maps that were already emitted. Values may have grown between reading
 * and deletion; only the difference is emitted. Queues may have new entries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/join.h"
#include "util/error.h"

/* Returns the map called NAME of ALL if it was emitted, or NULL. */
struct count_join *counts_given(const struct count_joins *all, const char *name);
/*
 * Emits what a key of COUNTS counted since it was emitted. ENTRIES are its N values when it was
 * deleted, one for each CPU or just one. Sets RET_OTHER, and emits nothing, if they differ in more
 * than the weight.
 */
struct error *count_change_emit(struct count_join *counts, const struct map_entry *entries,
	size_t n, bool *ret_other) must_check;
/* Replaces all entries of COUNTS by the N ENTRIES, and emits them. */
struct error *count_taken_emit(
	struct count_join *counts, const struct map_entry *entries, size_t n) must_check;
