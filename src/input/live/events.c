// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/events.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/number.h"
#include "util/xalloc.h"

enum {
	PERF_PAGES = 64,	/* pages of each CPU's buffer */
	PERF_PAGES_MANY = 1024, /* the same if the sink may wait */
	/* milliseconds between flushes without events, in which the sink follows processes */
	WAIT_MS = 250,
	STOP_EVERY = 1024,     /* events between two checks of stop_fd */
	REST_MAX = 65536,      /* events still read after stop_fd became readable */
	FORMAT_LOST = 1U << 4, /* PERF_FORMAT_LOST, Linux 6.0 */
};

struct events_reader {
	const struct live_map *map;
	struct collector *collector;
	struct ring_buffer *ring; /* NULL if PERF is used */
	struct perf_buffer *perf; /* NULL if RING is used */
	int stop_fd;
	bool stopped;
	uint64_t events, odd, lost; /* events read, other records, events reported as lost */
	uint64_t end;		    /* value of EVENTS at which to stop; 0: not stopped yet */
	struct error *failure;	    /* the collector's */
};

static void reader_cleanup(struct events_reader *reader)
{
	ring_buffer__free(reader->ring);
	perf_buffer__free(reader->perf);
	error_destroy(reader->failure);
}

/* Passes an event to the collector. Returns false if no further event should be read now. */
static bool take_event(struct events_reader *reader, const uint8_t *data, size_t len, uint64_t time)
{
	auto_free char *position = xasprintf(
		"%s, event %llu", reader->map->label, (unsigned long long)++reader->events);

	reader->failure = collector_event(reader->collector, data, len, time, position);
	if (reader->failure)
		return false;
	if (reader->end)
		return reader->events < reader->end;
	if (reader->events % STOP_EVERY == 0) {
		struct pollfd stop = {.fd = reader->stop_fd, .events = POLLIN};

		reader->stopped |= poll(&stop, 1, 0) > 0;
		return !reader->stopped;
	}
	return true;
}

/* Returns a negative number to end ring_buffer__consume() (libbpf.h). */
static int on_ring_sample(void *context, void *data, size_t size)
{
	return take_event(context, data, size, 0) ? 0 : -ECANCELED;
}

static enum bpf_perf_event_ret on_perf_record(
	void *context, int cpu, struct perf_event_header *header)
{
	struct events_reader *reader = context;
	struct live_record record;

	(void)cpu;
	if (!live_record_parse(header, header->size, &record)) {
		reader->odd++;
		return LIBBPF_PERF_EVENT_CONT;
	}
	reader->lost += record.lost;
	collector_lost_events(reader->collector, record.lost);
	if (!record.data || take_event(reader, record.data, record.len, record.time))
		return LIBBPF_PERF_EVENT_CONT;
	return LIBBPF_PERF_EVENT_ERROR;
}

static struct error *reader_open(struct events_reader *reader, bool waits)
{
	const struct live_map *map = reader->map;
	size_t pages = waits ? PERF_PAGES_MANY : PERF_PAGES;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_period = 1,
		.wakeup_events = 1,
		.read_format = FORMAT_LOST,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (map->type == BPF_MAP_TYPE_RINGBUF)
		reader->ring = ring_buffer__new(map->fd, on_ring_sample, reader, NULL);
	else
		reader->perf =
			perf_buffer__new_raw(map->fd, pages, &attr, on_perf_record, reader, NULL);
	if (!reader->ring && !reader->perf && errno == EINVAL) {
		attr.read_format = 0;
		reader->perf =
			perf_buffer__new_raw(map->fd, pages, &attr, on_perf_record, reader, NULL);
	}
	if (reader->ring || reader->perf)
		return NULL;
	if (errno == EPERM || errno == EACCES)
		return error_create(ERROR_SYSTEM,
			"%s: no permission to read events: run as root, or with CAP_BPF and "
			"CAP_PERFMON",
			map->label);
	return error_errno(errno, "%s: cannot read its events", map->label);
}

/* Reads the events in the buffer. Returns 0, also if take_event() ended it, or a negative errno. */
static int reader_consume(struct events_reader *reader)
{
	int n = reader->ring ? ring_buffer__consume(reader->ring)
			     : perf_buffer__consume(reader->perf);

	return n < 0 && !reader->stopped && !reader->failure ? n : 0;
}

static struct error *reader_run(struct events_reader *reader)
{
	struct pollfd fds[] = {
		{.fd = reader->ring ? ring_buffer__epoll_fd(reader->ring)
				    : perf_buffer__epoll_fd(reader->perf),
			.events = POLLIN},
		{.fd = reader->stop_fd, .events = POLLIN},
	};

	while (!reader->stopped) {
		int failed = reader_consume(reader);

		if (reader->failure)
			return take(reader->failure);
		if (failed)
			return error_errno(
				-failed, "%s: cannot read its events", reader->map->label);
		try(collector_flush(reader->collector));
		if (!reader->stopped) /* it was empty: later events were sent after the start */
			collector_live_events(reader->collector, false);
		if (!reader->stopped && poll(fds, 2, WAIT_MS) > 0 && fds[1].revents)
			reader->stopped = true;
	}
	/* the events that were still in the buffer when stop_fd became readable */
	reader->end = reader->events + REST_MAX;
	(void)reader_consume(reader);
	return reader->failure ? take(reader->failure) : collector_flush(reader->collector);
}

struct error *live_events_read(const struct live_map *map, int stop_fd, bool waits, struct log *log,
	struct collector *collector)
{
	scope_guard(reader_cleanup) struct events_reader reader = {
		.map = map, .collector = collector, .stop_fd = stop_fd};

	try(reader_open(&reader, waits));
	collector_live_events(collector, true);
	try(collector_stacks_complete(collector));
	struct error *error = reader_run(&reader);
	/*
	 * The kernel writes a PERF_RECORD_LOST only when a later event fits; losses after that are
	 * only in the perf event's own counter.
	 */
	uint64_t total = 0, counters[2]; /* value, lost */
	for (size_t i = 0; reader.perf && i < perf_buffer__buffer_cnt(reader.perf); i++)
		if (read(perf_buffer__buffer_fd(reader.perf, i), counters, sizeof(counters)) ==
			sizeof(counters))
			total += counters[1];
	if (total > reader.lost)
		collector_lost_events(collector, total - reader.lost);
	log_add(log, LOG_WARNING, reader.odd, "%s: a record that is not a sample is skipped",
		map->label);
	if (reader.ring)
		log_add(log, LOG_DETAIL, 1,
			"%s: events that did not fit in the ring buffer are not counted here: "
			"only the program sees them, as errors of bpf_ringbuf_output()",
			map->label);
	return error;
}

/* ---- records of a perf buffer ---------------------------------------------------------------- */

bool live_record_parse(const void *record, size_t len, struct live_record *ret)
{
	const uint8_t *at = record;
	struct perf_event_header header;

	if (len < sizeof(header))
		return false;
	memcpy(&header, at, sizeof(header));
	len = header.size < len ? header.size : len;
	at += sizeof(header);
	if (header.type == PERF_RECORD_LOST && len >= sizeof(header) + 16) {
		*ret = (struct live_record){.lost = load_u64(at + 8)};
		return true;
	}
	if (header.type != PERF_RECORD_SAMPLE || len < sizeof(header) + 12)
		return false;
	uint32_t size = load_u32(at + 8);
	if (size > len - sizeof(header) - 12)
		return false;
	*ret = (struct live_record){.data = at + 12, .len = size, .time = load_u64(at)};
	return true;
}
