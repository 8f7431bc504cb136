/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the bytes of a live map's entry to what the collector takes: fields by BTF, where there is
 * some.
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
	bool typed; /* KEY and VALUE are of use */
};

void live_shape_deinit(struct live_shape *shape);
/*
 * Finds the types of MAP, which must outlive RET; without BTF there are none, as in a dump. RET is
 * zero-filled. The error is for BTF that is there and cannot be had.
 */
struct error *live_shape_find(
	const struct live_map *map, const struct wanted *wanted, struct live_shape *ret) must_check;
/* Fields of an entry, at most. */
size_t live_shape_room(const struct live_shape *shape);
/* The key's fields into FIELDS, which has room for all; returns how many. */
size_t live_shape_key(const struct live_shape *shape, const uint8_t *key, struct field *fields);
/*
 * The entry of KEY and VALUE on CPU (-1: of a map that is not per CPU). RECORD and FIELDS, whose
 * first KEY_FIELDS are the key's, are its memory.
 */
struct map_entry live_shape_entry(const struct live_shape *shape, const uint8_t *key,
	const uint8_t *value, int cpu, size_t key_fields, struct field *fields, struct row *row);
