/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the keys and values of a map without BTF hold, decided in this order:
 *
 *	1. --key-layout and --value-layout, where the reading has them.
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
#include "input/roles/raw_columns.h"
#include "input/roles/reading.h"
#include "input/stacks/stack_index.h"

struct raw_question {
	const struct count_map *map; /* its first entry is raw, or NAMING makes keys */
	const struct stack_index *index;
	const struct input_processes *processes; /* NULL: none are known */
	bool has_pid;		/* -p says which process stacks without one are of */
	const char *weight;	/* the field that --key=weight= names; NULL: none */
	const char *key_fields; /* --key, may be NULL: what it wants of arrays (input/wanted.h) */
	const struct raw_naming
		*naming; /* NULL: the fields have no names; otherwise no layout is made */
};

/*
 * RET is zero-filled but for its sizes and for layouts that were given, is to be deinitialized in any
 * case, and must not be moved.
 */
enum reading_status raw_reading_find(
	const struct raw_question *question, struct count_reading *ret);
