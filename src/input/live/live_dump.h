/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes what was read from live maps in the format of bpftool (`bpftool -j map dump` of several
 * maps), so that it can be resolved again later:
 *
 *	[{"id":12,"elements":[{"key":["0x0c",…],"value":[…],
 *		"formatted":{"key":{…},"value":3}},…]},…]
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "input/live/type.h"
#include "util/error.h"
#include "util/text.h"

struct live_dump {
	FILE *file; /* not owned; NULL: nothing is written */
	int errnum; /* errno of the first failed write; 0: none */
	struct text text;
	const struct live_shape *shape; /* of the current map */
	bool maps, entries;		/* a map, or an entry of this map, was written */
};

/* Begins a dump to FILE. If FILE is NULL, no function writes anything. */
void live_dump_begin(struct live_dump *dump, FILE *file);
/* Begins a map. SHAPE and its map must stay valid until live_dump_map_end(). */
void live_dump_map(struct live_dump *dump, const struct live_shape *shape);
/* Adds an entry, as entry() of struct live_entries does. CONTEXT is a struct live_dump. */
void live_dump_entry(void *context, const uint8_t *key, const uint8_t *value);
void live_dump_map_end(struct live_dump *dump);
/*
 * Ends the dump and frees its buffer. Fails if a write failed. Does not flush FILE.
 */
struct error *live_dump_end(struct live_dump *dump) must_check;
