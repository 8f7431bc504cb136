/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deleting the entries of live maps (--clear) once they have been printed. What a program of the
 * kernel counts in between is not lost: each entry is taken with the value that it has then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "input/live/map.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vec.h"

enum { LIVE_TAKE_MAX = 4096 }; /* entries: a batch */

/* What was read of a map. Zero-filled but for MAP and VALUE_BYTES is empty. */
struct live_held {
	const struct live_map *map;
	size_t n_cpus, stride; /* as struct live_entries has them; of each entry's value */
	size_t n;
	struct VEC(uint8_t) keys, values; /* n, one after the other */
	struct table numbers;		  /* key → number + 1 */
	size_t done;			  /* entries that were taken, or had gone */
	struct VEC(
		size_t) changed; /* entries of the last batch that were taken with another value */
};

void live_held_deinit(struct live_held *held);
/* Copies an entry; one with the same key is replaced. */
void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value);
const uint8_t *live_held_key(const struct live_held *held, size_t i);
const uint8_t *live_held_value(const struct live_held *held, size_t i);

/* Fails if the kernel forbids deleting from MAP. */
struct error *live_take_check(const struct live_map *map) must_check;
/*
 * Deletes the next entries, LIVE_TAKE_MAX at most, and makes their values what they were then;
 * elements of arrays become zero. The error says how many are left.
 */
struct error *live_take_batch(struct live_held *held) must_check;
/* Makes entry I what it was when it was taken, unless there is another by now. */
void live_take_back(const struct live_held *held, size_t i);
/* Takes up to LIVE_TAKE_MAX entries from a queue or stack, which HELD has from `done` on then. */
struct error *live_take_queue(struct live_held *held) must_check;
