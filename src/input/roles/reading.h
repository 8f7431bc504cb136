/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the entries of a count map are read, or why they are not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "input/roles/bpftrace_values.h"
#include "input/roles/layout.h"
#include "input/row.h"
#include "util/vec.h"

enum reading_status {
	READING_UNREAD,	 /* there is no stack map, or a given layout does not fit */
	READING_NO_IDS,	 /* nothing in it says which stacks are meant: it counts something else */
	READING_REFUSED, /* several readings fit, or nothing shows which process the stacks are of */
	READING_USABLE,
};

/* What one field was found to be, and why. */
struct reading_note {
	char *field;	/* as in the layout */
	char *evidence; /* "" where it was given */
};

struct count_reading {
	const struct layout *key, *value; /* NULL: opaque */
	struct layout own_key, own_value; /* what the two point to, unless given */
	struct VEC(struct field) fields;  /* of the entry decoded last */
	size_t key_len, value_len;	  /* bytes, of the entries it is for */
	enum bpftrace_part part;	  /* not NONE: only these rows are to be kept */
	char *key_text; /* what was found, as for --key-layout, or --key; NULL: it was given */
	char *reason;	/* why it is not used, one line; NULL: it is */
	struct VEC(char *) choices; /* of READING_REFUSED: options, with what they mean */
	struct VEC(struct reading_note) notes;
};

/* Zero-filled is empty. */
void reading_deinit(struct count_reading *reading);
/* Adds CHOICE, which is taken over, to the first ones that are listed. */
void reading_offer(struct count_reading *reading, char *choice);
/* Refuses for REASON, which is taken over, with the options that follow it, up to NULL. */
enum reading_status reading_refuse(struct count_reading *reading, char *reason, ...);
/*
 * The fields of entry I of MAP, valid until the next call or count_map_key() or count_map_value().
 * False if its sizes are not those the reading is for.
 */
bool reading_decode(
	struct count_reading *reading, const struct count_map *map, size_t i, struct row *ret);
