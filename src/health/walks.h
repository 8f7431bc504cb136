/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in an object a walk along frame pointers loses the caller, as far as its unwind rules were looked
 * up: a rule holds for a range of addresses. Asked in sweeps of ascending addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/unwind/rule.h"
#include "util/vec.h"

struct walk_range {
	uint64_t start; /* ELF addresses [start, start + len) */
	uint32_t len;
	bool lost;
};

/* The rows of one function, from its start on, as far as they were looked at for one with a frame. */
struct frame_search {
	uint64_t start;	  /* of the function; 0: none yet */
	uint64_t next;	  /* the next row begins here */
	unsigned rows;	  /* looked at */
	bool found, over; /* the last one has a frame; there is nothing more to look at */
	struct unwind_rule last;
};

/* Zero-filled is empty. */
struct walks {
	struct frame_search frame;
	struct VEC(struct walk_range) known, added; /* both ascend */
	struct walk_range last;
	size_t at;   /* in `known`: what comes before has been passed */
	bool asking; /* the sweep is long enough to go through what is known */
};

void walks_deinit(struct walks *walks);
/* Begins a sweep of N addresses. */
void walks_begin(struct walks *walks, size_t n);
/* Whether the walk loses the caller at ADDRESS, if that is known. */
bool walks_find(struct walks *walks, uint64_t address, bool *ret);
/* What was found for the address that was asked for last. */
void walks_add(struct walks *walks, uint64_t start, uint64_t end, bool lost);
void walks_end(struct walks *walks);
