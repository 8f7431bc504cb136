// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/history.h"

#include "util/vec.h"
#include "util/sort.h"

void history_deinit(struct history *history)
{
	vec_deinit(&history->spans);
	vec_deinit(&history->bounds);
	vec_deinit(&history->first);
	vec_deinit(&history->lists);
	vec_deinit(&history->mixed);
}

size_t history_bytes(const struct history *history)
{
	return history->spans.cap * sizeof(*history->spans.data) +
	       history->bounds.cap * sizeof(*history->bounds.data) +
	       history->first.cap * sizeof(*history->first.data) +
	       history->lists.cap * sizeof(*history->lists.data) +
	       history->mixed.cap * sizeof(*history->mixed.data);
}

bool history_add(struct history *history, struct history_span span)
{
	if (history->spans.len == HISTORY_SPANS_MAX)
		return false;
	if (span.since > span.begin)
		span.since = span.begin;
	if (span.start < span.end)
		vec_push(&history->spans, span);
	return true;
}

/* ---- building the tree ---------------------------------------------------------------------- */

COMPARE(compare_spans, struct history_span,
	order_of(a->begin, b->begin) ?: order_of(a->item, b->item))

COMPARE(compare_numbers, uint64_t, order_of(*a, *b))

static void find_bounds(struct history *history)
{
	size_t n = 0;

	vec_reserve(&history->bounds, 2 * history->spans.len);
	vec_each(span, &history->spans) {
		vec_push(&history->bounds, span->start);
		vec_push(&history->bounds, span->end);
	}
	vec_sort(&history->bounds, compare_numbers);
	vec_each_value(bound, &history->bounds)
		if (!n || bound != history->bounds.data[n - 1])
			history->bounds.data[n++] = bound;
	history->bounds.len = n;
}

/*
 * Returns the number of the last bound up to ADDRESS, counting from 1; 0 if ADDRESS is before all.
 */
static size_t bounds_up_to(const struct history *history, uint64_t address)
{
	return sorted_count(history->bounds.data, history->bounds.len, <= address);
}

/*
 * Returns true if span NUMBER repeats the last of the N in NODE's list, which can then be replaced.
 * Updates NODE's `mixed`.
 */
static bool is_repeated(const struct history *history, size_t node, size_t n, uint32_t number)
{
	const struct history_span *span = &history->spans.data[number], *last;

	if (!n)
		return false;
	last = &history->spans.data[history->lists.data[history->first.data[node] + n - 1]];
	history->mixed.data[node] |= last->what != span->what;
	return last->what == span->what && last->since == span->since &&
	       last->begin == span->begin && last->gone == span->gone;
}

/*
 * Adds the span to the lists of the nodes that make up its range. Only counts it if LENS is NULL.
 */
static void enlist(struct history *history, uint32_t number, uint32_t *lens)
{
	const struct history_span *span = &history->spans.data[number];
	size_t leaves = history->bounds.len;
	size_t left = leaves + bounds_up_to(history, span->start) - 1;
	size_t right = leaves + bounds_up_to(history, span->end) - 1;

	for (; left < right; left >>= 1, right >>= 1) {
		size_t nodes[2], n = 0;

		if (left & 1)
			nodes[n++] = left++;
		if (right & 1)
			nodes[n++] = --right;
		while (n--) {
			size_t node = nodes[n];

			if (!lens) {
				history->first.data[node + 1]++;
				continue;
			}
			lens[node] += !is_repeated(history, node, lens[node], number);
			history->lists.data[history->first.data[node] + lens[node] - 1] = number;
		}
	}
}

/* Removes the unused ends of the lists, left by repeated spans. */
static void close_gaps(struct history *history, const uint32_t *lens)
{
	size_t to = 0, nodes = history->first.len - 1;

	for (size_t node = 0; node < nodes; node++) {
		size_t from = history->first.data[node];

		history->first.data[node] = (uint32_t)to;
		for (size_t i = 0; i < lens[node]; i++)
			history->lists.data[to++] = history->lists.data[from + i];
	}
	history->first.data[nodes] = (uint32_t)to;
	history->lists.len = to;
}

void history_finish(struct history *history)
{
	vec_sort(&history->spans, compare_spans);
	find_bounds(history);
	size_t nodes = 2 * history->bounds.len, n = history->spans.len;
	uint32_t *lens = xcalloc(nodes + 1, sizeof(*lens));

	vec_reserve(&history->first, nodes + 1);
	vec_reserve(&history->mixed, nodes);
	while (history->first.len <= nodes)
		(void)vec_add(&history->first);
	while (history->mixed.len < nodes)
		(void)vec_add(&history->mixed);
	for (size_t i = 0; i < n; i++) {
		const struct history_span *span = &history->spans.data[i];

		if (span->begin - span->since > history->doubt)
			history->doubt = span->begin - span->since;
		enlist(history, (uint32_t)i, NULL);
	}
	for (size_t i = 0; i < nodes; i++)
		history->first.data[i + 1] += history->first.data[i];
	vec_reserve(&history->lists, history->first.data[nodes]);
	history->lists.len = history->first.data[nodes];
	for (size_t i = 0; i < n; i++)
		enlist(history, (uint32_t)i, lens);
	close_gaps(history, lens);
	free(lens);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* A query and its result so far. */
struct query {
	const struct history *history;
	uint64_t time;
	const struct history_span *found; /* the latest match; NULL if none */
	bool ambiguous;
};

static const struct history_span *span_at(const struct query *query, size_t position)
{
	return &query->history->spans.data[query->history->lists.data[position]];
}

static size_t begun(const struct query *query, size_t node)
{
	const uint32_t *first = query->history->first.data + node;

	return partition_point(i, first[0], first[1], span_at(query, i)->begin <= query->time);
}

static void take_last(struct query *query, size_t node)
{
	size_t first = query->history->first.data[node], end = begun(query, node);

	if (end > first &&
		(!query->found || compare_spans(query->found, span_at(query, end - 1)) < 0))
		query->found = span_at(query, end - 1);
}

/*
 * Sets `ambiguous` if another span of NODE may have been there at TIME: one that may have begun
 * before TIME, or one that may have begun after the span found.
 */
static void doubt_by(struct query *query, size_t node)
{
	const struct history *history = query->history;
	size_t first = history->first.data[node], end = history->first.data[node + 1];
	size_t middle = begun(query, node);
	const struct history_span *last = query->found, *span;

	for (size_t i = middle; i < end && !query->ambiguous; i++) {
		span = span_at(query, i);
		if (span->begin - query->time > history->doubt)
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
	size_t first = query->history->first.data[node], end = query->history->first.data[node + 1];

	if (first == end)
		return;
	const struct history_span *last = span_at(query, end - 1);
	query->ambiguous |= query->history->mixed.data[node] ||
			    (query->found && query->found->what != last->what);
	if (!query->found || compare_spans(query->found, last) < 0)
		query->found = last;
}

static bool has_gone(const struct history_span *span, uint64_t time)
{
	return time && span->gone && span->gone < time;
}

const struct history_span *history_at(
	const struct history *history, uint64_t address, uint64_t time, bool *ambiguous)
{
	struct query query = {.history = history, .time = time};
	size_t leaf = bounds_up_to(history, address);
	void (*const take)(struct query *, size_t) = time ? take_last : take_any;

	*ambiguous = false;
	if (!leaf || leaf == history->bounds.len)
		return NULL;
	leaf += history->bounds.len - 1;
	for (size_t node = leaf; node; node >>= 1)
		take(&query, node);
	/*
	 * the span found has ended: nothing is there, unless doubt_by() finds one that may have
	 * begun
	 */
	if (query.found && has_gone(query.found, time))
		query.found = NULL;
	for (size_t node = leaf; node && time && history->doubt; node >>= 1)
		doubt_by(&query, node);
	*ambiguous = query.ambiguous;
	return query.found;
}
