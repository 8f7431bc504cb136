/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports dumps of maps of maps (array_of_maps, hash_of_maps), whose counts are in the inner maps.
 * bpftool 7.8 prints the ID of each inner map. Older versions (7.1) print it like any other value.
 */
#pragma once

#include <stdint.h>

#include "input/dump.h"
#include "util/vec.h"

struct inner_maps {
	struct VEC(uint64_t) ids; /* the first INNER_MAPS_SHOWN distinct IDs */
	uint64_t more;		  /* number of entries with other IDs */
	char *position;		  /* position of the first entry */
};

#define INNER_MAPS_SHOWN 20

void inner_maps_deinit(struct inner_maps *maps);
/* Adds the inner map ID, the value of an entry at POSITION ("FILE:LINE"). */
void inner_maps_add(struct inner_maps *maps, uint64_t id, const char *position);
/* Warns at the end of the outer map which maps to dump instead, and clears MAPS. */
void inner_maps_report(struct inner_maps *maps, struct dump *dump);
