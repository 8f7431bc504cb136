/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of `bpftool map event_pipe` (tools/bpf/bpftool/map_perf_ring.c). Its JSON is read
 * by bpftool_json_read(). Example:
 *
 *	== @588.718687085 CPU: 1 index: 1 =====
 *	b1 1c 00 00 b1 1c 00 00  05 00 00 00
 *	lost 7 events
 *	unknown event type=3 size=40
 *
 * The kernel pads samples to 4 bytes more than a multiple of 8 (perf_prepare_sample()), so the last
 * row is never full. A short row therefore ends the event, which is passed on at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "util/error.h"

/* Returns true if LINE starts an event, or reports lost or unknown ones. */
bool event_pipe_starts(struct scan line);
/* Reads events up to the first other line. The error is the sink's. */
struct error *event_pipe_read(struct dump *dump) must_check;
