/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump of a map whose entries are maps (array_of_maps, hash_of_maps): bpftool 7.8 prints the
 * ID of each; what is counted is in these. Older ones (7.1) print the ID as any other value.
 */
#pragma once

#include <stdint.h>

#include "input/dump.h"
#include "util/vec.h"

struct inner_maps {
	struct VEC(uint64_t) ids; /* distinct, the first INNER_MAPS_SHOWN */
	uint64_t more;		  /* entries beyond these */
	char *position;		  /* of the first entry */
};

#define INNER_MAPS_SHOWN 20

/* Zero-filled is empty. */
void inner_maps_deinit(struct inner_maps *maps);
/* An entry at POSITION ("FILE:LINE") is the map with this ID. */
void inner_maps_add(struct inner_maps *maps, uint64_t id, const char *position);
/* The map of maps is at its end: says which maps are to be dumped instead, and forgets them. */
void inner_maps_report(struct inner_maps *maps, struct dump *dump);
