/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes how the entries of a count map are read, or why they cannot be. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "input/roles/values.h"
#include "input/roles/layout.h"
#include "input/row.h"
#include "util/vec.h"

enum reading_status {
	READING_UNREAD,	 /* there is no stack map, or a given layout does not fit */
	READING_NO_IDS,	 /* no field identifies a stack: the map counts something else */
	READING_REFUSED, /* several readings fit, or the process of the stacks is unknown */
	READING_USABLE,
};

/* why a field has its meaning */
struct reading_note {
	char *field;	/* name of the field; without BTF, also its bytes */
	char *evidence; /* one line */
};

struct count_reading {
	const struct layout *key, *value; /* NULL: not decoded */
	struct layout own_key, own_value; /* targets of KEY and VALUE unless these were given */
	struct VEC(struct field) fields;  /* fields of the last decoded entry */
	size_t key_len, value_len;	  /* sizes of the entries this applies to, in bytes */
	enum bpftrace_part part;	  /* if not NONE, only these rows are used */
	char *key_text; /* the layout found, as for --key-layout or --key; NULL if it was given */
	char *reason;	/* why the map is not used, one line; NULL if it is used */
	struct VEC(char *) choices; /* for READING_REFUSED: options and their meaning */
	struct VEC(struct reading_note) notes;
};

void reading_deinit(struct count_reading *reading);
/* Takes ownership of CHOICE and adds it to the choices, unless there are too many. */
void reading_offer(struct count_reading *reading, char *choice);
/*
 * Takes ownership of REASON, and adds copies of the choices that follow it, up to NULL. Returns
 * READING_REFUSED.
 */
enum reading_status reading_refuse(struct count_reading *reading, char *reason, ...);
/*
 * Decodes entry I of MAP into RET, which is valid until the next call of this or count_map_raw().
 * Returns false if the entry has other sizes than READING.
 */
bool reading_decode(
	struct count_reading *reading, const struct count_map *map, size_t i, struct row *ret);
