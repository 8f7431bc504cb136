/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events of a ring buffer or perf event array as they arrive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/live/live_map.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Passes the events of MAP (LIVE_EVENTS) to COLLECTOR until STOP_FD is readable, and flushes
 * COLLECTOR whenever the buffer is empty. WAITS: as in struct input_live. Returns the collector's
 * error, or one that says what the kernel refused.
 */
struct error *live_events_read(const struct live_map *map, int stop_fd, bool waits, struct log *log,
	struct collector *collector) must_check;

/* A record of a perf buffer opened with PERF_SAMPLE_TIME | PERF_SAMPLE_RAW. */
struct live_record {
	const uint8_t *data; /* bytes that the BPF program sent; NULL: not a sample */
	size_t len;	     /* bytes, including the kernel's padding of up to 7 bytes */
	uint64_t time;	     /* ns */
	uint64_t lost;	     /* number of samples lost before this record */
};

/*
 * Parses one record of LEN bytes: a struct perf_event_header, followed by {u64 time; u32 size; u8
 * data[size]} (PERF_RECORD_SAMPLE) or {u64 id; u64 lost} (PERF_RECORD_LOST), see
 * perf_event_open(2). Returns false if it has another type or is truncated. RET points into RECORD.
 */
bool live_record_parse(const void *record, size_t len, struct live_record *ret);
