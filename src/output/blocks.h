/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges equal blocks of annotated output. A block is a list of run numbers, and a run is what is
 * printed for one location. Each location has two runs: an exact one, and a common one without what
 * differs within a source line (address, offset, column). Blocks with the same header and common
 * runs are merged. Where their exact runs differ, the common run is printed.
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
	uint32_t *runs; /* N run numbers, leaf first */
	size_t n;
	const char *comm;     /* NULL: unknown */
	int64_t pid, tid;     /* -1: unknown, or several */
	uint64_t first, last; /* earliest and latest sample time; 0: not all are known */
	size_t number;	      /* index in order of arrival */
};

struct blocks {
	struct table headers;	      /* process and name → number */
	struct table numbers;	      /* header and common runs → number */
	struct arena memory;	      /* of the blocks */
	struct VEC(struct block) all; /* by number, until blocks_order() sorts them */
	struct VEC(uint32_t) key;     /* scratch */
};

void blocks_deinit(struct blocks *blocks);
/* Adds SAMPLE as a block of N locations, whose runs are EXACT and COMMON. Weights saturate. */
void blocks_add(struct blocks *blocks, const struct sample *sample, const uint32_t *exact,
	const uint32_t *common, size_t n);
/* Sorts the blocks by weight, largest first, then by arrival. Returns their number. */
size_t blocks_order(struct blocks *blocks);
