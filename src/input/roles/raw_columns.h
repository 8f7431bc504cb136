/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a map without BTF, 4 bytes a column: which columns can be text, stack IDs, or the
 * process that the stacks are of. What is done with that is decided in input/roles/raw_reading.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/counts/map.h"
#include "input/processes.h"
#include "input/roles/id_column.h"
#include "input/stacks/stack_index.h"
#include "util/vec.h"

#define RAW_COLUMNS_MAX 256 /* columns looked at; a larger key has inline stacks */
#define RAW_COMM_LEN 16	    /* bytes: TASK_COMM_LEN, include/linux/sched.h */

struct raw_column {
	struct id_column ids;
	size_t text;  /* bytes of the text that begins here, a multiple of 4; 0: none does */
	bool in_text; /* part of a text that began before */
	bool constant_zero;
	bool any_process; /* every number but 0 and -1 could be a process ID */
};

struct raw_columns {
	const struct count_map *map;
	const struct stack_index *index;
	bool of_value; /* the map has no keys (a queue): its values are looked at */
	struct VEC(struct raw_column) all;
};

void raw_columns_read(
	const struct count_map *map, const struct stack_index *index, struct raw_columns *ret);
void raw_columns_deinit(struct raw_columns *columns);
/* The bytes of entry I that the columns are of. False: it is of another size. */
bool raw_columns_bytes(
	const struct raw_columns *columns, size_t i, const uint8_t **ret, size_t *len_ret);
/* The length of the printable text at BYTES, which only zeros follow up to LEN; SIZE_MAX: none. */
size_t raw_text_length(const uint8_t *bytes, size_t len);
uint32_t raw_word(const uint8_t *bytes, size_t column);

/* What is known of a column's numbers as processes of the user stacks in another column. */
struct raw_fit {
	enum process_fit fit;
	int64_t number; /* MISFIT: which one; with CHILD or HAD_CHILDREN: the parent; else -1 */
	int64_t child;	/* a process that fits as well as NUMBER, whose parent that is; -1: none */
	/* Each process that fits may have had children that have ended: then they may be who ran. */
	bool had_children;
	bool all_leaders;  /* each number known is that of a process, not of another thread */
	bool some_unknown; /* of some number nothing is known: a process or thread that has ended */
};

/* Where the name of the process is in each entry. */
struct raw_comm {
	bool known, of_value;
	size_t offset; /* bytes */
};

/*
 * Asks PROCESSES about the numbers of COLUMN, each with the stacks that the IDs in STACKS have
 * beside it. FITS only if no number is a misfit and none may be a parent of who ran.
 */
struct raw_fit raw_columns_fit(const struct raw_columns *columns,
	const struct input_processes *processes, size_t column, size_t stacks,
	struct raw_comm comm);
/* Whether some ID in column STACKS names a user stack of addresses, so that the process matters. */
bool raw_columns_have_addresses(const struct raw_columns *columns, size_t stacks);
/* What two columns of which each can be the process are to each other. */
enum raw_pair {
	RAW_PAIR_SAME,	   /* equal wherever both are known */
	RAW_PAIR_FIRST,	   /* the first is the process of the threads in the second */
	RAW_PAIR_SECOND,   /* the reverse */
	RAW_PAIR_DIFFERENT /* they name different processes */
};

enum raw_pair raw_columns_pair(const struct raw_columns *columns,
	const struct input_processes *processes, size_t first, size_t second);
