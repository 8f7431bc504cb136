/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records what was at an address over time: spans of addresses that begin at some time, such as
 * mappings, JIT code, BPF programs and (with IDs in place of addresses) processes. A query with a
 * time finds the last span that began before it, unless that has ended. A query without a time is
 * unambiguous only if the address always had the same content.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

#define HISTORY_SPANS_MAX (1 << 23)

struct history_span {
	/*
	 * time at which it began, in any unit: from SINCE to BEGIN, both included. In between,
	 * either this span or the previous one may have been there. Both 0: it was always there.
	 */
	uint64_t begin, since;
	uint64_t gone; /* last time at which it was there; 0 if it lasts until the next span */
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t what;	     /* identity of the content for the caller: equal means the same */
	uint32_t item;	     /* number of spans added before it */
	uint32_t bound;	     /* index of START in history_run.bounds */
};

/* An index of adjacent spans: a segment tree over the address ranges between adjacent bounds. */
struct history_run {
	size_t begin, end; /* its spans, as indexes: [begin, end) */
	uint64_t *bounds;  /* ascending, unique */
	size_t n_bounds;
	/*
	 * by node: indexes of its spans, ascending, from lists[first[n]] up to lists[first[n + 1]]
	 * or HISTORY_GAP
	 */
	uint32_t *first, *lists;
	uint8_t *contents; /* by node: 0: no spans, 1: all with one `what`, 2: others */
};

#define HISTORY_GAP UINT32_MAX

/* Spans are added in any order, followed by history_finish() and queries, and more spans. */
struct history {
	/* each run's are sorted by begin, then item; those after the last run as they were added */
	struct VEC(struct history_span) spans;
	struct VEC(struct history_run) runs; /* each larger than all that follow it */
	uint64_t doubt;			     /* maximum of BEGIN - SINCE over all spans */
};

/* Frees what HISTORY owns, and makes it empty. */
void history_deinit(struct history *history);
/* Returns the memory that HISTORY owns, in bytes. */
size_t history_bytes(const struct history *history);
/*
 * Adds SPAN and sets its `item`; all else may be changed until history_finish(). Ignores it if
 * there are HISTORY_SPANS_MAX.
 */
void history_add(struct history *history, struct history_span span);
/*
 * Indexes the spans added since the last call, in time that depends on their number and on the
 * logarithm of that of all.
 */
void history_finish(struct history *history);
/*
 * Finds the span at ADDRESS at TIME (0: unknown), in O(log³ n). Returns NULL if there is none.
 * Sets AMBIGUOUS if another span may have been there too; the result is then the latest.
 */
const struct history_span *history_at(
	const struct history *history, uint64_t address, uint64_t time, bool *ambiguous);
