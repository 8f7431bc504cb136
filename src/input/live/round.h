/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one round of live maps has read and is to delete (--clear). Nothing is deleted before it is
 * printed, and from no map that was not used.
 */
#pragma once

#include <stdbool.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/live/clear.h"
#include "input/live/dump.h"
#include "input/live/stacks.h"
#include "input/live/take.h"
#include "input/wanted.h"
#include "util/log.h"
#include "util/table.h"

/* Zero-filled but for the first four, which are the caller's, is empty. */
struct live_round {
	const struct input_live *options;
	const struct live_maps *maps;
	const struct wanted *wanted;
	struct log *log;
	struct VEC(struct live_held *) held; /* entries of maps, owned */
	struct live_clear clear;	     /* stacks */
	bool saved;			     /* options->save is whole */
	struct table used; /* IDs of maps that were used in this round or before */
};

/* Forgets what was read. */
void live_round_clear(struct live_round *round);
void live_round_deinit(struct live_round *round);
/* For the entries of MAP, which must outlive ROUND. */
struct live_held *live_round_hold(struct live_round *round, const struct live_map *map);
/* Ends DUMP, which was written to options->save; the error is a failed write. */
struct error *live_round_end_dump(struct live_round *round, struct live_dump *dump) must_check;
/* live_clear() in live.h; STACKS is for the time of the call. */
struct error *live_round_delete(struct live_round *round, struct live_stacks *stacks,
	struct collector *collector, struct error *(*persist)(void *context),
	void *context) must_check;
