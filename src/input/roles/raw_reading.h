/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what the keys and values of a map without BTF contain, in this order:
 *
 *	1. --key-layout and --value-layout are used if given.
 *	2. raw_rules.h finds stack IDs, the comm and the process. A packed struct is accepted only
 *	   if a process has code at the addresses of its stacks.
 *	3. Beside stack words of bpftrace, counts and totals of avg() and stats() may alternate
 *	   (input/roles/values.h). They must not be added up.
 *	4. A value of 4 or 8 bytes is a plain number, and is refused if it may be two. Others must
 *	   fit the layout of a known program.
 *
 * What remains unclear is refused, with the possible readings as options to paste.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/counts/count_map.h"
#include "input/processes.h"
#include "input/roles/layout.h"
#include "input/roles/raw_columns.h"
#include "input/roles/values.h"
#include "input/row.h"
#include "input/stacks/stack_index.h"
#include "util/vec.h"

/* Describes how the entries of a count map are read, or why they cannot be. */

enum reading_status {
	READING_UNREAD,	 /* there is no stack map, or a given layout does not fit */
	READING_NO_IDS,	 /* no field identifies a stack: the map counts something else */
	READING_REFUSED, /* several readings fit, or the process of the stacks is unknown */
	READING_USABLE,
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
	bool has_more;		    /* there are too many choices: some are left out */
	char *evidence[ROLE_COUNT]; /* why a field has the role, one line; NULL: by its name */
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

struct raw_question {
	const struct count_map *map; /* its first entry is raw, unless there is NAMED */
	const struct stack_index *index;
	const struct input_processes *processes; /* NULL: none are known */
	bool has_pid;				 /* -p gives the process of stacks without one */
	const char *weight;			 /* field named by --key=weight=; NULL: none */
	const char
		*key_fields; /* --key, for elements and sums of arrays (input/wanted.h); or NULL */
	/*
	 * For maps with BTF: the roles that names show. The other fields are examined like keys
	 * without BTF; `key_text` and the choices are for --key then. NULL: the entries are raw.
	 */
	const struct roles *named;
	bool of_value; /* with NAMED: examine the fields of the values, not of the keys */
};

/*
 * Decides how to read the map. In RET, only the sizes and given layouts are set, and the rest is
 * zero-filled. RET must be deinitialized whatever the result, and must not be moved.
 */
enum reading_status raw_reading_find(
	const struct raw_question *question, struct count_reading *ret);
