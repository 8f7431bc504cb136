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

#include "input/counts/map.h"
#include "input/processes.h"
#include "input/roles/raw_columns.h"
#include "input/roles/reading.h"
#include "input/stacks/stack_index.h"

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
	 * without BTF; `key_text` and the choices are for --key then, and the notes have the names
	 * of fields. NULL: the entries are raw.
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
