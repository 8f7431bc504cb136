/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the keys and values of a map without BTF hold, decided in this order:
 *
 *	1. --key-layout and --value-layout, if they fit.
 *	2. Stack IDs, the comm and the process: raw_rules.h. A packed struct is read where a process has
 *	   code at the addresses of its stacks.
 *	3. Beside stack words of bpftrace: whether counts and totals of avg() and stats() take turns
 *	   (input/roles/bpftrace_values.h), which are never added up.
 *	4. The value: a plain number of 4 or 8 bytes that is not two numbers, or the only known program's
 *	   layout that fits all.
 *
 * What is not decided by that is refused, with the readings there are as options to paste.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/map.h"
#include "input/processes.h"
#include "input/row.h"
#include "input/roles/bpftrace_values.h"
#include "input/roles/layout.h"
#include "input/roles/raw_roles.h"
#include "input/stacks/stack_index.h"
#include "util/vec.h"

enum raw_status {
	RAW_READ,
	RAW_NO_IDS,   /* no column can be stack IDs: it counts something else */
	RAW_REFUSED,  /* several readings fit, or nothing shows which process the stacks are of */
	RAW_KEY_SIZE, /* the given key layout has another size than the keys */
	RAW_VALUE_SIZE,
};

/* What one field was found to be, and why. */
struct raw_note {
	char *field;	/* as in the layout */
	char *evidence; /* "" where it was given */
};

struct raw_reading {
	const struct layout *key, *value; /* NULL: opaque */
	struct layout own_key, own_value; /* what the two point to, unless given */
	struct VEC(struct field) fields;  /* of the entry decoded last */
	size_t key_len, value_len;	  /* bytes, of the entries it is for */
	enum bpftrace_part part;	  /* not NONE: only these rows are to be kept */
	char *key_text; /* what was found, as for --key-layout, or --key; NULL: it was given */
	char *reason;	/* of RAW_REFUSED and RAW_NO_IDS, one line */
	struct VEC(char *) choices; /* of RAW_REFUSED: options, with what they mean */
	struct VEC(struct raw_note) notes;
};

/* Where the bytes stand for fields that have names. */
struct raw_naming {
	const void *context;
	/* What gives the columns ROLES, as for --key; malloc'ed. NULL: nothing can. */
	char *(*roles)(const void *context, const struct raw_roles *roles);
	const char *(*field)(const void *context, size_t column);
};

struct raw_question {
	const struct count_map *map; /* its first entry is raw */
	const struct stack_index *index;
	const struct input_processes *processes; /* NULL: none are known */
	const struct layout *key, *value;	 /* given, or NULL */
	bool has_pid;		/* -p says which process stacks without one are of */
	const char *weight;	/* the field that --key=weight= names; NULL: none */
	const char *key_fields; /* --key, may be NULL: what it wants of arrays (input/wanted.h) */
	const struct raw_naming
		*naming; /* NULL: the fields have no names; otherwise no layout is made */
};

/* RET is zero-filled, is to be deinitialized in any case, and must not be moved. */
enum raw_status raw_reading_find(const struct raw_question *question, struct raw_reading *ret);
void raw_reading_deinit(struct raw_reading *reading);
/*
 * The fields of entry I of MAP, valid until the next call or count_map_key() or count_map_value().
 * False if its sizes are not those the reading is for.
 */
bool raw_reading_decode(
	struct raw_reading *reading, const struct count_map *map, size_t i, struct row *ret);
