/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the raw keys and values of a map without BTF hold: as the command line says, or one of the
 * layouts that well-known programs use, if the bytes agree with it.
 */
#ifndef INPUT_RAW_LAYOUT_H
#define INPUT_RAW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/count_map.h"
#include "input/layout.h"
#include "input/record.h"
#include "input/stack_index.h"

struct raw_layout {
	const struct layout *key, *value; /* NULL: opaque */
	struct layout own_key, own_value; /* what the two point to, unless given */
	struct VEC(struct field) fields;  /* of the entry decoded last */
	size_t key_len, value_len;        /* bytes, of the entries it is for */
};

void raw_layout_deinit(struct raw_layout *layout);

/*
 * The fields of ENTRY, valid until the next call. False if its sizes are not those the layout is
 * for.
 */
bool raw_layout_decode(
	struct raw_layout *layout, const struct count_entry *entry, struct record *ret);

enum raw_layout_found {
	RAW_LAYOUT_FOUND,
	RAW_LAYOUT_NONE,      /* nothing known fits */
	RAW_LAYOUT_AMBIGUOUS, /* two layouts fit equally well */
	RAW_LAYOUT_KEY_SIZE,  /* the given key layout has another size than the keys */
	RAW_LAYOUT_VALUE_SIZE,
};

/*
 * Finds the layout of MAP's entries, whose first one is raw. KEY and VALUE are what was given, or
 * NULL. RET is zero-filled, is to be deinitialized in any case, and must not be moved. NAMES (two
 * entries, may stay NULL) gets whose layout it is; with AMBIGUOUS, the two.
 */
enum raw_layout_found raw_layout_find(const struct count_map *map, const struct stack_index *index,
	const struct layout *key, const struct layout *value, struct raw_layout *ret,
	const char *names[2]);

#endif
