/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one round of live maps has read and is to delete (--clear). Nothing is deleted before it is
 * printed, and from no map that was not used. What a program of the kernel counts in between is not
 * lost: each entry is taken with the value that it has then.
 *
 * No stack is deleted that a count may still name: the BPF program runs on while its maps are read,
 * and the next stack in a bucket that was emptied too early would answer for the one before it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/live/dump.h"
#include "input/live/map.h"
#include "input/live/stacks.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/vec.h"

/* What was read of a map. */
struct live_held {
	const struct live_map *map;
	size_t n_cpus, stride; /* as struct live_entries has them; of each entry's value */
	size_t n;
	struct VEC(uint8_t) keys,
		values;	      /* n, one after the other; of stacks there are no values */
	struct table numbers; /* key → number + 1 */
	size_t done;	      /* entries that were taken, or had gone */
	struct VEC(
		size_t) changed; /* entries of the last batch that were taken with another value */
};

/* Zero-filled but for the first four, which are the caller's, is empty. */
struct live_round {
	const struct input_live *options;
	const struct live_maps *maps;
	const struct wanted *wanted;
	struct log *log;
	struct VEC(struct live_held *) held; /* owned */
	bool saved;			     /* options->save is whole */
	struct table used; /* IDs of maps that were used in this round or before */
};

/* Forgets what was read. */
void live_round_clear(struct live_round *round);
void live_round_deinit(struct live_round *round);
/* Fails if the kernel forbids deleting from MAP. */
struct error *live_round_check(const struct live_map *map) must_check;
/* For the entries of MAP, which must outlive ROUND. */
struct live_held *live_round_hold(struct live_round *round, const struct live_map *map);
/* Copies an entry; one with the same key is replaced. */
void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value);
/* Ends DUMP, which was written to options->save; the error is a failed write. */
struct error *live_round_end_dump(struct live_round *round, struct live_dump *dump) must_check;
/* live_clear() in live.h; STACKS is for the time of the call. */
struct error *live_round_delete(struct live_round *round, struct live_stacks *stacks,
	struct collector *collector, struct error *(*persist)(void *context),
	void *context) must_check;
