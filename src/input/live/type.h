/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flattens the BTF type of a map's keys or values into the fields that bpftool would print as
 * "formatted", with the same names. Arrays of 2- and 4-byte numbers do not become fields of rows,
 * except if they are the whole value (input/roles/values.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/live/live_map.h"
#include "input/roles/layout.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/text.h"
#include "util/vec.h"

#define LIVE_FIELDS_MAX 1024 /* of a key or a value */

struct btf;

/* A step in writing the fields nested as in the type. */
enum live_mark {
	LIVE_FIELD, /* the next field */
	LIVE_OBJECT,
	LIVE_OBJECT_END,
	LIVE_ARRAY,
	LIVE_ARRAY_END,
};

struct live_step {
	enum live_mark mark;
	size_t name; /* offset of the member's name in live_type.names; SIZE_MAX: none */
};

struct live_type {
	struct layout layout; /* only its fields are set; hidden ones are in dumps too */
	struct VEC(struct live_step) steps;
	struct text names; /* NUL-terminated strings, concatenated */
};

/*
 * Flattens the type ID of BTF, which is SIZE bytes long. All names begin with PREFIX ("key",
 * "value"). Skips what is beyond SIZE or nested too deeply. RET must be zero-filled, and has no
 * fields if the type has none.
 */
void live_type_make(
	const struct btf *btf, uint32_t id, const char *prefix, size_t size, struct live_type *ret);
void live_type_deinit(struct live_type *type);

/* Turns the bytes of an entry into a struct map_entry for the collector, with fields if typed. */
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
