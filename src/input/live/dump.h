/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was read from live maps as bpftool writes it (`bpftool -j map dump` of several maps), so
 * that it can be resolved again later:
 *
 *	[{"id":12,"elements":[{"key":["0x0c",…],"value":[…],"formatted":{"key":{…},"value":3}},…]},…]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "input/live/shape.h"
#include "util/text.h"

struct live_dump {
	FILE *file; /* the caller's */
	int errnum; /* of the first failed write; 0: none */
	struct text text;
	const struct live_map *map;
	const struct live_type *key, *value; /* KEY NULL: no BTF */
	bool maps, entries;		     /* there was one before */
};

/* FILE may be NULL: nothing is written then, whatever is called. */
void live_dump_begin(struct live_dump *dump, FILE *file);
/* Entries of SHAPE's map follow; both must live until live_dump_map_end(). */
void live_dump_map(struct live_dump *dump, const struct live_shape *shape);
/* VALUE has N_CPUS values, STRIDE bytes apart. */
void live_dump_entry(struct live_dump *dump, const uint8_t *key, const uint8_t *value,
	size_t n_cpus, size_t stride);
void live_dump_map_end(struct live_dump *dump);
/* Ends the text; whether all was written is in `errnum`. FILE is not flushed. */
void live_dump_end(struct live_dump *dump);
