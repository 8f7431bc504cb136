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

#include "input/roles/layout.h"
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
