// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/history.h"

#include "util/cleanup.h"
#include "util/sort.h"

static void run_deinit(struct history_run *run)
{
	free(run->bounds);
	free(run->first);
	free(run->lists);
	free(run->contents);
}

void history_deinit(struct history *history)
{
	vec_deinit(&history->spans);
	vec_deinit_each(&history->runs, run_deinit);
	history->doubt = 0;
}

size_t history_bytes(const struct history *history)
{
	size_t bytes = history->spans.cap * sizeof(*history->spans.data);

	vec_each(run, &history->runs)
		bytes += run->n_bounds * (sizeof(*run->bounds) + 2 * sizeof(*run->first) +
						 2 * sizeof(*run->contents)) +
			 run->first[2 * run->n_bounds] * sizeof(*run->lists);
	return bytes;
}

void history_add(struct history *history, struct history_span span)
{
	span.item = (uint32_t)history->spans.len;
	if (history->spans.len < HISTORY_SPANS_MAX)
		vec_push(&history->spans, span);
}

/* ---- building a run ------------------------------------------------------------------------- */

/* Where a span starts, for sorting. */
struct start {
	uint64_t address;
	size_t span;
};

/* Finds where the spans start, in that order: at random places in memory it takes much longer. */
static void find_starts(struct history *history, const struct history_run *run)
{
	struct history_span *spans = history->spans.data + run->begin;
	size_t n = run->end - run->begin;
	uint32_t bound = 0;
	auto_free struct start *starts = xreallocarray(NULL, n, sizeof(*starts));

	for (size_t i = 0; i < n; i++)
		starts[i] = (struct start){spans[i].start, i};
	radix_sort(starts, n, sizeof(*starts));
	array_each(start, starts, n) {
		while (run->bounds[bound] < start->address)
			bound++;
		spans[start->span].bound = bound;
	}
}

/* Returns the index of the bound where SPAN ends. Begins to search where it starts. */
static size_t find_end(const struct history_run *run, const struct history_span *span)
{
	size_t near = span->bound, step = 1, n = run->n_bounds;

	for (; near + step < n && run->bounds[near + step] <= span->end; step *= 2)
		near += step;
	return partition_point(
		i, near, near + step < n ? near + step : n, run->bounds[i] < span->end);
}

/*
 * Adds span NUMBER to the front of NODE's list, unless the next one there repeats it. If there are
 * no lists yet, only counts it.
 */
static void enlist(
	const struct history *history, struct history_run *run, size_t node, size_t number)
{
	const struct history_span *span = &history->spans.data[number], *next;
	uint32_t *first = &run->first[node];

	if (!run->lists) {
		++*first;
		return;
	}
	next = run->contents[node] ? &history->spans.data[run->lists[*first]] : NULL;
	bool same = next && next->what == span->what;
	if (!same)
		run->contents[node] = next ? 2 : 1;
	if (!same || next->since != span->since || next->begin != span->begin ||
		next->gone != span->gone)
		run->lists[--*first] = (uint32_t)number;
}

/* Adds the spans to the nodes that make up their ranges, the last one first. */
static void enlist_all(const struct history *history, struct history_run *run)
{
	for (size_t i = run->end; i-- > run->begin;) {
		const struct history_span *span = &history->spans.data[i];
		size_t left = run->n_bounds + span->bound;
		size_t right = run->n_bounds + find_end(run, span);

		for (; left < right; left >>= 1, right >>= 1) {
			if (left & 1)
				enlist(history, run, left++, i);
			if (right & 1)
				enlist(history, run, --right, i);
		}
	}
}

static void build(struct history *history, struct history_run *run)
{
	struct history_span *spans = history->spans.data + run->begin;
	size_t n = run->end - run->begin, n_ends = 2 * n;
	uint32_t n_lists = 0;

	radix_sort(spans, n, sizeof(*spans));
	run->bounds = xreallocarray(NULL, n_ends, sizeof(*run->bounds));
	for (size_t i = 0; i < n; i++) {
		run->bounds[2 * i] = spans[i].start;
		run->bounds[2 * i + 1] = spans[i].end;
	}
	radix_sort(run->bounds, n_ends, sizeof(*run->bounds));
	array_each(bound, run->bounds, n_ends)
		if (!run->n_bounds || *bound != run->bounds[run->n_bounds - 1])
			run->bounds[run->n_bounds++] = *bound;
	find_starts(history, run);
	size_t n_nodes = 2 * run->n_bounds;
	run->first = xcalloc(n_nodes + 1, sizeof(*run->first));
	run->contents = xcalloc(n_nodes, sizeof(*run->contents));
	enlist_all(history, run);
	array_each(first, run->first, n_nodes + 1)
		*first = n_lists += *first; /* where the list ends: it is filled backwards */
	run->lists = xreallocarray(NULL, n_lists, sizeof(*run->lists));
	array_each(number, run->lists, n_lists)
		*number = HISTORY_GAP;
	enlist_all(history, run);
}

/*
 * Joins runs that are not larger than all that follows them, so that there are few runs, and a span
 * is indexed again only when its run doubles.
 */
void history_finish(struct history *history)
{
	struct history_run run = {.end = history->spans.len}, *last;

	if (history->runs.len)
		run.begin = vec_last(&history->runs)->end;
	if (run.begin == run.end)
		return;
	for (size_t i = run.begin; i < run.end; i++) {
		struct history_span *span = &history->spans.data[i];

		if (span->since > span->begin)
			span->since = span->begin;
		if (span->begin - span->since > history->doubt)
			history->doubt = span->begin - span->since;
	}
	for (; history->runs.len; history->runs.len--) {
		last = vec_last(&history->runs);
		if (last->end - last->begin > run.end - run.begin)
			break;
		run.begin = last->begin;
		run_deinit(last);
	}
	build(history, &run);
	vec_push(&history->runs, run);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* A query and its result so far. */
struct query {
	const struct history *history;
	const struct history_run *run; /* the one that is asked */
	uint64_t address, time;
	const struct history_span *found; /* the latest match; NULL if none */
	bool ambiguous;
};

static const struct history_span *span_at(const struct query *query, size_t position)
{
	return &query->history->spans.data[query->run->lists[position]];
}

/* Takes SPAN unless a later one was found. */
static void take_later(struct query *query, const struct history_span *span)
{
	const struct history_span *found = query->found;

	if (!found || found->begin < span->begin ||
		(found->begin == span->begin && found->item < span->item))
		query->found = span;
}

/* Returns the end of NODE's spans that begin by TIME. */
static size_t begun(const struct query *query, size_t node, uint64_t time)
{
	const struct history_run *run = query->run;

	return partition_point(i, run->first[node], run->first[node + 1],
		run->lists[i] != HISTORY_GAP && span_at(query, i)->begin <= time);
}

static void take_last(struct query *query, size_t node)
{
	size_t end = begun(query, node, query->time);

	if (end > query->run->first[node])
		take_later(query, span_at(query, end - 1));
}

/*
 * Sets `ambiguous` if another span of NODE may have been there at TIME: one that may have begun
 * before TIME, or one that may have begun after the span found.
 */
static void doubt_by(struct query *query, size_t node)
{
	size_t first = query->run->first[node], end = begun(query, node, UINT64_MAX);
	size_t middle = begun(query, node, query->time);
	const struct history_span *last = query->found, *span;

	for (size_t i = middle; i < end && !query->ambiguous; i++) {
		span = span_at(query, i);
		if (span->begin - query->time > query->history->doubt)
			break;
		if (span->since > query->time)
			continue;
		query->ambiguous = query->found && query->found->what != span->what;
		query->found = query->found ?: span;
	}
	for (size_t i = middle; last && i-- > first && !query->ambiguous;) {
		span = span_at(query, i);
		if (span->begin <= last->since)
			break;
		query->ambiguous = span->what != last->what &&
				   !(span->since == last->since && span->begin == last->begin);
	}
}

static void take_any(struct query *query, size_t node)
{
	const struct history_span *last = span_at(query, begun(query, node, UINT64_MAX) - 1);

	query->ambiguous |= query->run->contents[node] > 1 ||
			    (query->found && query->found->what != last->what);
	take_later(query, last);
}

/* Calls VISIT with each node that has spans at the address. */
static void ask(struct query *query, void (*visit)(struct query *query, size_t node))
{
	vec_each(run, &query->history->runs) {
		size_t n = run->n_bounds;
		size_t leaf = sorted_count(run->bounds, n, <= query->address);

		query->run = run;
		for (size_t node = !leaf || leaf == n ? 0 : leaf + n - 1; node; node >>= 1)
			if (run->contents[node])
				visit(query, node);
	}
}

const struct history_span *history_at(
	const struct history *history, uint64_t address, uint64_t time, bool *ambiguous)
{
	struct query query = {.history = history, .address = address, .time = time};

	ask(&query, time ? take_last : take_any);
	/*
	 * the span found has ended: nothing is there, unless doubt_by() finds one that may have
	 * begun
	 */
	if (time && query.found && query.found->gone && query.found->gone < time)
		query.found = NULL;
	if (time && history->doubt)
		ask(&query, doubt_by);
	*ambiguous = query.ambiguous;
	return query.found;
}
