/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Count maps that were given, and what is known about them, kept for the reports at the end. */
#pragma once

#include <stddef.h>

#include "input/counts/join.h"
#include "util/vec.h"

struct count_batch {
	struct count_join *joins; /* N; owned, with their maps */
	size_t n;
};

/* Zero-filled is empty. */
struct count_kept {
	struct VEC(struct count_batch) batches;
};

void count_batch_deinit(struct count_batch *batch);
void count_kept_deinit(struct count_kept *kept);
/* The map called NAME, if it was given; NULL: it was not. */
struct count_join *count_kept_find(const struct count_kept *kept, const char *name);
/* The N entries are all that COUNTS has then, and are given. */
struct error *count_kept_emit(struct join *join, struct count_join *counts,
	const struct map_entry *entries, size_t n) must_check;
