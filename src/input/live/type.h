/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type of a map's keys or values, flattened from BTF: the fields that bpftool would print as
 * "formatted", under the same names. Arrays of numbers of 2 and 4 bytes are no fields of rows,
 * unless they are all of the value (input/roles/value_array.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/roles/layout.h"
#include "util/text.h"
#include "util/vec.h"

#define LIVE_FIELDS_MAX 1024 /* of key or value */

struct btf;

/* How the fields nest. */
enum live_mark {
	LIVE_FIELD, /* the next field */
	LIVE_OBJECT,
	LIVE_OBJECT_END,
	LIVE_ARRAY,
	LIVE_ARRAY_END,
};

struct live_step {
	enum live_mark mark;
	size_t name; /* offset in NAMES of the member's name; SIZE_MAX: it has none */
};

struct live_type {
	struct layout
		layout; /* of nothing but fields; some are hidden, and in a dump nevertheless */
	struct VEC(struct live_step) steps;
	struct text names; /* NUL-terminated strings */
};

/*
 * Flattens type ID of BTF, SIZE bytes long. PREFIX ("key", "value") begins every name. What lies
 * beyond SIZE or goes too deep is left out. RET is zero-filled; no fields: BTF says nothing.
 */
void live_type_make(
	const struct btf *btf, uint32_t id, const char *prefix, size_t size, struct live_type *ret);
void live_type_deinit(struct live_type *type);
