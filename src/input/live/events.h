/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a ring buffer or perf event array, as they come. */
#pragma once

#include "input/collector.h"
#include "input/live/map.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Gives the events of MAP (LIVE_EVENTS) to COLLECTOR, and flushes it whenever none is left, until
 * STOP_FD is readable. WAITS: as in struct input_live. The error is the collector's, or says what
 * the kernel refused.
 */
struct error *live_events_read(const struct live_map *map, int stop_fd, bool waits, struct log *log,
	struct collector *collector) must_check;
