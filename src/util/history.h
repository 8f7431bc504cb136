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
	uint64_t start, end; /* addresses, [start, end) */
	/*
	 * time at which it began, in any unit: from SINCE to BEGIN, both included. In between,
	 * either this span or the previous one may have been there. Both 0: it was always there.
	 */
	uint64_t since, begin;
	uint64_t gone; /* last time at which it was there; 0 if it lasts until the next span */
	uint32_t what; /* identity of the content for the caller: equal means the same */
	uint32_t item; /* the caller's index; orders spans that begin at the same time */
};

/* Spans are added in any order, followed by history_finish() and queries. */
struct history {
	struct VEC(struct history_span) spans; /* sorted by begin, then item, by history_finish() */
	/* a segment tree over the address ranges between adjacent bounds */
	struct VEC(uint64_t) bounds; /* ascending, unique */
	/* by node: its spans are lists[first[n]] to lists[first[n + 1] - 1] */
	struct VEC(uint32_t) first;
	struct VEC(uint32_t) lists; /* indexes of spans, ascending in each node */
	struct VEC(bool) mixed;	    /* by node: true if its spans differ in `what` */
	uint64_t doubt;		    /* maximum of BEGIN - SINCE over all spans */
};

void history_deinit(struct history *history);
/* Returns the memory that HISTORY owns, in bytes. */
size_t history_bytes(const struct history *history);
/* Adds SPAN, and ignores it if its range is empty. Returns false if there are HISTORY_SPANS_MAX. */
bool history_add(struct history *history, struct history_span span);
void history_finish(struct history *history);
/*
 * Finds the span at ADDRESS at TIME (0: unknown), in O(log² n). Returns NULL if there is none.
 * Sets AMBIGUOUS if another span may have been there too; the result is then the latest.
 */
const struct history_span *history_at(
	const struct history *history, uint64_t address, uint64_t time, bool *ambiguous);
