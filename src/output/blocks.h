/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of annotated output, equal ones merged, as lists of numbers: each number stands for a run,
 * what is shown of one location. A location has two: an exact one, and one without what differs
 * between places on one line (address, offset, column). Blocks with the same header and the same
 * runs of the second kind are one; where the first differ, the second is shown.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct block {
	uint64_t weight;
	uint32_t *runs; /* N, leaf first */
	size_t n;
	const char *comm;     /* NULL: unknown */
	int64_t pid, tid;     /* -1: unknown, or several */
	uint64_t first, last; /* of the times; 0: not all are known */
	size_t number;	      /* as they came */
};

/* Zero-filled is empty. */
struct blocks {
	struct table headers;	      /* process and name -> number */
	struct table numbers;	      /* header and second runs of each block -> number */
	struct arena memory;	      /* of the blocks */
	struct VEC(struct block) all; /* by number, until blocks_order() */
	struct VEC(uint32_t) key;     /* scratch */
};

void blocks_deinit(struct blocks *blocks);
/* Adds a block of N locations with its weight; sums saturate. */
void blocks_add(struct blocks *blocks, const struct sample *sample, const uint32_t *exact,
	const uint32_t *common, size_t n);
/* Puts the blocks with most weight first, others as they came; how many there are. */
size_t blocks_order(struct blocks *blocks);
