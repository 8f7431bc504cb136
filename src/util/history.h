/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was where, and when: things that take ranges of addresses from some time on, as mappings, JIT
 * code, BPF programs and, with IDs for addresses, processes do. The rule for all of them: at a time
 * there was what came last before it, unless that had gone; without a time, what was there is known
 * only if it was always the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

#define HISTORY_SPANS_MAX (1 << 23)

struct history_span {
	uint64_t start, end; /* addresses, [start, end) */
	/*
	 * When it came, in any unit: not before SINCE and not after BEGIN. Between them it may have
	 * been there, or what was there before. Both 0: always.
	 */
	uint64_t since, begin;
	uint64_t gone; /* the last time at which it was there; 0: until another takes its place */
	uint32_t what; /* equal for what is the same to the caller */
	uint32_t item; /* the caller's number of it; the larger is later among equal times */
};

/* Zero-filled is empty. Spans are added in any order; nothing is asked before history_finish(). */
struct history {
	struct VEC(struct history_span) spans; /* by begin, then item, when finished */
	/* A segment tree over the stretches between neighbouring bounds. */
	struct VEC(uint64_t) bounds; /* ascending, unique */
	struct VEC(uint32_t) first;  /* by node: its spans are lists[first[n], first[n + 1]) */
	struct VEC(uint32_t) lists;  /* positions in spans, ascending for each node */
	struct VEC(bool) mixed;	     /* by node: not all its spans have one `what` */
	uint64_t doubt;		     /* the longest time between a span's since and begin */
};

void history_deinit(struct history *history);
/* The memory it takes, beside itself. */
size_t history_bytes(const struct history *history);
/* An empty range is ignored. False: there are HISTORY_SPANS_MAX already. */
bool history_add(struct history *history, struct history_span span);
void history_finish(struct history *history);
/*
 * What was at ADDRESS at TIME (0: unknown), in about the square of the logarithm of the spans. NULL: nothing. AMBIGUOUS: something else may have been
 * there too, and the last of them is returned.
 */
const struct history_span *history_at(
	const struct history *history, uint64_t address, uint64_t time, bool *ambiguous);
