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
#include "input/live/live_dump.h"
#include "input/live/live.h"
#include "input/live/entries.h"
#include "input/live/live_map.h"
#include "input/wanted.h"
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

/* The state of live.h, for live.c and round.c only. */
struct live {
	const struct input_live *options;
	const struct wanted *wanted;
	struct log *log;
	struct live_maps maps;	   /* counts first */
	struct live_maps events;   /* at most one */
	uint64_t next;		   /* scheduled start of the round, in ns of CLOCK_MONOTONIC */
	bool begun;		   /* a round has begun */
	struct live_stacks stacks; /* for looking up single IDs */
	bool looks_up;		   /* live_look_up() took effect: live_read() reads nothing */
	struct VEC(struct live_held *) held; /* of this round, with live.clear; owned */
	bool saved;			     /* options->save is complete */
	struct table used; /* IDs of maps that were used in this or an earlier round */
	int lock_fd;	   /* for lock_map(); owned; -1: none */
};

/* Forgets the entries of the round, but not `used`. */
void live_round_clear(struct live *live);
/* Makes COLLECTOR look up the stack that an ID has in the kernel at that time. */
void live_look_up_now(struct live *live, struct collector *collector);
/* Adds a copy of an entry. Replaces one with the same key, except in stack maps. */
void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value);
