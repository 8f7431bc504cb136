/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events of a ring buffer or perf event array as they arrive. */
#pragma once

#include "input/collector.h"
#include "input/live/map.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Passes the events of MAP (LIVE_EVENTS) to COLLECTOR until STOP_FD is readable, and flushes
 * COLLECTOR whenever the buffer is empty. WAITS: as in struct input_live. Returns the collector's
 * error, or one that says what the kernel refused.
 */
struct error *live_events_read(const struct live_map *map, int stop_fd, bool waits, struct log *log,
	struct collector *collector) must_check;
