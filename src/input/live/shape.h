/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the bytes of a live map's entry into a struct map_entry for the collector, with fields if
 * the map has BTF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/live/map.h"
#include "input/live/type.h"
#include "input/wanted.h"
#include "util/error.h"

struct live_shape {
	const struct live_map *map;
	struct live_type key, value;
	bool typed; /* KEY and VALUE both have fields */
};

void live_shape_deinit(struct live_shape *shape);
/*
 * Finds the types of MAP, which must outlive RET. RET must be zero-filled, and gets no types if MAP
 * has no BTF. Fails only if memory or file descriptors do not suffice to read the BTF.
 */
struct error *live_shape_find(
	const struct live_map *map, const struct wanted *wanted, struct live_shape *ret) must_check;
/* Returns the maximum number of fields of an entry. */
size_t live_shape_room(const struct live_shape *shape);
/* Decodes KEY into FIELDS, which has room for all fields. Returns their number. */
size_t live_shape_key(const struct live_shape *shape, const uint8_t *key, struct field *fields);
/*
 * Returns the entry of KEY and VALUE on CPU (-1: not a per-CPU map), which points to KEY, VALUE,
 * ROW and FIELDS. FIELDS must begin with the KEY_FIELDS fields of the key; VALUE's are added.
 */
struct map_entry live_shape_entry(const struct live_shape *shape, const uint8_t *key,
	const uint8_t *value, int cpu, size_t key_fields, struct field *fields, struct row *row);
