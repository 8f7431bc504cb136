/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in an object a walk along frame pointers loses the caller, as far as its unwind rules were
 * looked up: a rule holds for a range of addresses. Asked in sweeps of ascending addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct walk_range {
	uint64_t start; /* ELF addresses [start, start + len) */
	uint32_t len;
	bool lost;
	bool saved; /* it saved FP to use it for data */
};

/* Zero-filled is empty. */
struct walks {
	struct VEC(struct walk_range) known, added; /* both ascend */
	struct walk_range last;
	size_t at;   /* in `known`: what comes before has been passed */
	bool asking; /* the sweep is long enough to go through what is known */
	bool looked_for_start;
	/* ELF addresses in the program: where it starts, and main(). 0: unknown, or no program */
	uint64_t entry, main, main_end;
};

void walks_deinit(struct walks *walks);
/* Begins a sweep of N addresses. */
void walks_begin(struct walks *walks, size_t n);
/* What is known of the walk at ADDRESS; NULL: nothing. Valid until the next call. */
const struct walk_range *walks_find(struct walks *walks, uint64_t address);
/* Adds, and returns, what was found for the address that was asked for last. */
const struct walk_range *walks_add(
	struct walks *walks, uint64_t start, uint64_t end, bool lost, bool saved);
void walks_end(struct walks *walks);
