// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/input.h"

#include "input/collector.h"
#include "input/documents.h"
#include "input/dump.h"
#include "input/live/live.h"
#include "input/source.h"
#include "util/cleanup.h"
#include "util/file.h"

struct input_reading {
	const struct input_options *options;
	struct log *log;
	struct collector *collector;
	struct input_sink *sink; /* sink of the caller */
	struct input_stats *stats;
	struct wanted wanted; /* from --key */
	struct live *live;    /* NULL if no map of the running kernel is read */
	bool streams;	      /* the current source is the last one, and may block for long */
	uint64_t used;	      /* sum of dump.used of the sources */
	uint64_t failed_sources;
	struct VEC(const struct input_source *) order; /* in reading order */
};

static void reading_cleanup(struct input_reading *reading)
{
	collector_destroy(reading->collector);
	live_destroy(reading->live);
	vec_deinit(&reading->order);
	wanted_deinit(&reading->wanted);
}

/* Updates the statistics before it passes a batch from the collector to the caller's sink. */
static struct error *pass_batch(void *context, const struct sample *samples, size_t n, bool flush)
{
	struct input_reading *reading = context;

	reading->stats->weighted = collector_weighted(reading->collector);
	reading->stats->events = collector_has_events(reading->collector);
	return reading->sink->batch(reading->sink->context, samples, n, flush);
}

/*
 * Passes samples on before a read that would block. Also joins the rows and events of a stream with
 * the stacks read so far, if there are any.
 */
static struct error *flush(void *context)
{
	struct input_reading *reading = context;

	if (reading->streams && collector_holds_rows(reading->collector))
		try(collector_stacks_complete(reading->collector));
	return collector_flush(reading->collector);
}

static void source_failed(struct input_reading *reading, const struct input_source *from)
{
	reading->failed_sources++;
	collector_no_counts(reading->collector, from->path, from->role);
}

static struct error *read_source(
	struct input_reading *reading, const struct input_source *from, bool last)
{
	scope_guard(source_cleanup) struct source *source = NULL;
	const struct input_options *options = reading->options;
	bool stacks_known = options->n_sources > 1 || options->bare != INPUT_BARE_NOTHING;
	struct error *error = source_open(from->path, reading->log, &source);

	if (error) {
		log_add(reading->log, LOG_WARNING, 1, "%s", error_message(error));
		error_destroy(error);
		source_failed(reading, from);
		return NULL;
	}
	reading->streams = last && !source->regular && !reading->live;
	if (last && !source->regular && reading->live)
		try(live_look_up(reading->live, reading->collector));
	source->before_wait = flush;
	source->wait_context = reading;
	struct dump dump = {.source = source,
		.collector = reading->collector,
		.log = reading->log,
		.options = options,
		.role = from->role,
		.wanted = &reading->wanted,
		.live = reading->streams && stacks_known};
	error = documents_read(&dump);
	reading->used += dump.used;
	if (error)
		return error;
	bool empty = source_offset(source) == 0;
	bool nothing = empty && !source->failed && options->bare == INPUT_BARE_NOTHING;
	reading->stats->refused |= nothing || (!empty && (source->failed || source->skipped));
	if (empty && source->failed)
		source_failed(reading, from);
	if (nothing)
		log_add(reading->log, LOG_WARNING, 1,
			"%s: empty: not even the dump of an empty map", source->name);
	if (empty)
		collector_no_counts(reading->collector, source->name, from->role);
	return NULL;
}

/* Ends a round. With live.clear, entries are printed before they are deleted. */
static struct error *end_round(struct input_reading *reading)
{
	struct input_stats *sum = reading->stats, stats = {};

	sum->ended = true;
	struct error *error = collector_end(reading->collector, &stats);
	sum->weighted |= stats.weighted;
	sum->samples += stats.samples;
	sum->stacks += stats.stacks;
	sum->refused |= stats.refused;
	if (error || !reading->live || !reading->options->live.clear)
		return error;
	return live_clear(reading->live, reading->collector, reading->sink, &sum->live_read);
}

/* Reads live maps in rounds, each with its own collector. Refused input is an error at once. */
static struct error *read_rounds(struct input_reading *reading, struct input_sink *between)
{
	struct input_sink *sink = reading->sink;

	for (uint64_t round = 1;; round++) {
		try(live_read(reading->live, reading->collector));
		try(end_round(reading));
		if (round == reading->options->live.rounds)
			return NULL;
		if (sink->round)
			try(sink->round(sink->context));
		if (!live_next_round(reading->live))
			return NULL;
		collector_destroy(take(reading->collector));
		try(collector_create(reading->options, reading->log, between, &reading->collector));
	}
}

static struct error *read_all(struct input_reading *reading, struct input_sink *between)
{
	size_t n = reading->order.len;

	for (size_t i = 0; i < n; i++)
		try(read_source(reading, reading->order.data[i], i + 1 == n));
	if (reading->options->live.interval)
		return read_rounds(reading, between);
	if (reading->live) {
		try(live_read(reading->live, reading->collector));
		reading->stats->live_read = true;
		try(live_events(reading->live, reading->collector));
	}
	try(collector_stacks_complete(reading->collector));
	return end_round(reading);
}

/* Returns true if no part of the input was usable. An empty map is usable, a refused one is not. */
static bool was_useless(const struct input_reading *reading)
{
	const struct input_options *options = reading->options;
	const struct input_stats *stats = reading->stats;

	if (!options->n_sources || stats->samples || stats->stacks)
		return false;
	if (stats->refused)
		return true;
	if (reading->used)
		return false;
	return options->bare == INPUT_BARE_NOTHING || reading->failed_sources == options->n_sources;
}

struct error *input_read(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct input_stats *ret)
{
	scope_guard(reading_cleanup) struct input_reading reading = {
		.options = options, .log = log, .sink = sink, .stats = ret};
	struct input_sink between = {.batch = pass_batch, .context = &reading};
	struct error *error = NULL;

	*ret = (struct input_stats){};
	wanted_parse(options->key_fields, &reading.wanted);
	try(collector_create(options, log, &between, &reading.collector));
	/* regular files come first, because a stream may refer to the stacks in them */
	for (int streams = 0; streams <= 1; streams++)
		array_each(source, options->sources, options->n_sources)
			if (file_path_is_regular(source->path) == !streams)
				vec_push(&reading.order, source);
	if (options->live.maps.len || options->live.events)
		error = live_open(&options->live, &reading.wanted, log, &reading.live);
	if (!error)
		error = read_all(&reading, &between);
	ret->weighted |= collector_weighted(reading.collector);
	ret->events = collector_has_events(reading.collector);
	ret->failed_sources = reading.failed_sources;
	if (!error && was_useless(&reading))
		error = error_create(ERROR_INPUT, "nothing in the input could be used");
	return error;
}
