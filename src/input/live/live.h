/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the maps of the running kernel without bpftool (input_options.live): from map options to
 * the collector, as the parsers of dumps do it.
 */
#pragma once

#include <stdbool.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/log.h"

struct live;

/* Opens the maps of OPTIONS; it and WANTED (of arrays, in key or value) must outlive the result. */
struct error *live_open(const struct input_live *options, const struct wanted *wanted,
	struct log *log, struct live **ret) must_check;
void live_close(struct live *live);

/*
 * Reads all maps into COLLECTOR and deletes nothing: counts first, for a stack may vanish, but a
 * count needs it.
 */
struct error *live_read(struct live *live, struct collector *collector) must_check;
/*
 * For a source that streams stack IDs, where the maps are stack maps alone: from now on COLLECTOR
 * looks each ID up as it comes, and live_read() reads nothing. Does nothing where other maps are
 * among them.
 */
struct error *live_look_up(struct live *live, struct collector *collector) must_check;
/*
 * With live.clear, when COLLECTOR has ended and all it gave is printed: deletes what was read from
 * the maps of which it was used. SETTLE prints what was deleted since, batch by batch; where it
 * fails nothing more is deleted. live.save has all of it then. The error says what is left.
 */
struct error *live_clear(struct live *live, struct collector *collector,
	struct error *(*persist)(void *context), void *context) must_check;
/* Whether live.save has all that was read, or deleted. */
bool live_saved(const struct live *live);
/* Passes events on as they come, until options->stop_fd says that it is enough. */
struct error *live_events(struct live *live, struct collector *collector) must_check;
/* Returns true if there is to be another round. */
bool live_goes_on(const struct live *live);
/* Waits for the next round to begin; false: it is enough. */
bool live_next_round(struct live *live);
