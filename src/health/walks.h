/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches where in an object a walk along frame pointers loses the caller. Each entry is the range
 * of addresses of an unwind rule that was looked up. Lookups come in sweeps of ascending addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct walk_range {
	uint64_t start, len; /* ELF addresses [start, start + len) */
	bool lost;
	bool saved; /* FP was saved, and may hold data now */
	bool bare;  /* the rule lacks FP: Go */
};

struct walks {
	struct VEC(struct walk_range) known, added; /* sorted by start; ADDED is of this sweep */
	struct walk_range last;
	size_t at;   /* index in `known` of the first range not yet passed by the sweep */
	bool asking; /* the sweep is long enough for a search of `known` */
	bool looked_for_start;
	/*
	 * ELF addresses of the entry point and of main(), which is [main, main_end); 0: unknown, or
	 * not a program
	 */
	uint64_t entry, main, main_end;
};

void walks_deinit(struct walks *walks);
/* Begins a sweep of N addresses. */
void walks_begin(struct walks *walks, size_t n);
/* Returns what is known of the walk at ADDRESS, NULL if nothing. Valid until the next call. */
const struct walk_range *walks_find(struct walks *walks, uint64_t address);
/* Adds and returns RANGE, which contains the address of the last walks_find(). */
const struct walk_range *walks_add(struct walks *walks, const struct walk_range *range);
void walks_end(struct walks *walks);
