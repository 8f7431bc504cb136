/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the entries that one round has read from live maps, and deletes them (--clear). Entries are
 * deleted only after they were printed, and only from maps that were used. What BPF programs count
 * in between is not lost: the value that an entry has when it is deleted is read again.
 *
 * Stacks to which a count may still refer are not deleted. BPF programs run on while their maps are
 * read: if a bucket were emptied too early, its next stack would be taken for the previous one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/live/dump.h"
#include "input/live/map.h"
#include "input/live/entries.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/vec.h"

/* The entries that were read from a map. */
struct live_held {
	const struct live_map *map;
	size_t n;			  /* number of entries */
	struct VEC(uint8_t) keys, values; /* of N entries, concatenated; no values of stack maps */
	struct table numbers;		  /* key → index of the entry + 1; not of stack maps */
	size_t done; /* entries deleted or vanished; of a queue: those before the last batch */
	struct VEC(size_t) changed; /* indices of entries of the last batch with another value */
};

/* The caller sets the first four members; with all others zero, the round is empty. */
struct live_round {
	const struct input_live *options;
	const struct live_maps *maps;
	const struct wanted *wanted;
	struct log *log;
	struct VEC(struct live_held *) held; /* owned */
	bool saved;			     /* options->save is complete */
	struct table used; /* IDs of maps that were used in this or an earlier round */
};

/* Forgets the entries of the round, but not `used`. */
void live_round_clear(struct live_round *round);
void live_round_deinit(struct live_round *round);
/* Adds a copy of an entry. Replaces one with the same key, except in stack maps. */
void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value);
/* Does the work of live_clear() in live.h. STACKS is its working memory. */
struct error *live_round_delete(struct live_round *round, struct live_stacks *stacks,
	struct collector *collector, struct error *(*persist)(void *context),
	void *context) must_check;
