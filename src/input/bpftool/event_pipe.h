/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `bpftool map event_pipe` as text (tools/bpf/bpftool/map_perf_ring.c); its JSON is read by
 * bpftool_json:
 *
 *	== @588.718687085 CPU: 1 index: 1 =====
 *	b1 1c 00 00 b1 1c 00 00  05 00 00 00
 *	lost 7 events
 *	unknown event type=3 size=40
 *
 * The kernel pads samples to 4 bytes more than a multiple of 8 (perf_prepare_sample()), so the last
 * row is never full: a short row completes the event, which is passed on at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "util/error.h"

/* Whether LINE starts an event. */
bool event_pipe_starts(struct scan line);
/* Reads events up to the first line that is none. The error is the sink's. */
struct error *event_pipe_read(struct dump *dump) must_check;
