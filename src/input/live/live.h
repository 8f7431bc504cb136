/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads maps of the running kernel without bpftool (input_options.live), and passes their entries
 * and events to the collector, as the parsers of dumps do.
 */
#pragma once

#include <stdbool.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/log.h"

/*
 * Lets only one process at a time clear a map, because two would print entries twice. The lock is
 * on one byte, at the map's ID, of a file that only root can open; it ends with the process.
 */

struct live;

/* Opens the maps of OPTIONS. OPTIONS and WANTED (array fields of --key) must outlive RET. */
struct error *live_open(const struct input_live *options, const struct wanted *wanted,
	struct log *log, struct live **ret) must_check;
void live_destroy(struct live *live);
CLEANUP_OF(live)

/*
 * Reads all maps into COLLECTOR, and deletes nothing. Counts are read first: otherwise they
 * could refer to stacks that were added after the stack maps were read.
 */
struct error *live_read(struct live *live, struct collector *collector) must_check;
/*
 * Makes COLLECTOR look up each stack ID when it arrives, for a source that streams IDs; live_read()
 * reads nothing then. Does nothing if there are no maps, if some are not stack maps, or with
 * live.save.
 */
struct error *live_look_up(struct live *live, struct collector *collector) must_check;
/*
 * Makes SINK persist what COLLECTOR, which has ended, was given. Then deletes the entries that were
 * read, from the maps that were used. Called with live.clear. What was added to entries since they
 * were read goes to COLLECTOR, and is persisted after each batch. If that fails, nothing more is
 * deleted. live.save gets what was deleted; SAVED_RET is true if it has all of it, and is only set
 * if something may have been deleted. The error says what is left.
 */
struct error *live_clear(struct live *live, struct collector *collector, struct input_sink *sink,
	bool *saved_ret) must_check;
/* Passes on the events of live.events, if given, until live.stop_fd is readable. */
struct error *live_events(struct live *live, struct collector *collector) must_check;
/* Waits until the next round begins. Returns false if live.stop_fd became readable. */
bool live_next_round(struct live *live);
