/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the numbers of a field, over all entries of a map, are stack IDs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/stacks/stack_index.h"

#define ID_COLUMN_DISTINCT 64
#define ID_CHANCE_MAX 0.001 /* what is less likely is taken to be no chance */

/* Zero-filled is empty. */
struct id_column {
	uint64_t found, missing;       /* IDs that are in some stack map, and that are not */
	uint64_t user, kernel, either; /* of those found, by the side that their stack can be of */
	uint64_t errors; /* -2 … -4095: bpf_get_stackid() failed (-1: no stack, or EPERM) */
	uint64_t odd;	 /* what can be neither */
	bool varied;	 /* something is neither 0 nor -1 */
	uint32_t distinct[ID_COLUMN_DISTINCT]; /* of those found, the first ones */
	size_t n_distinct;
};

/* NUMBER as field_stack_id() has it. */
void id_column_add(struct id_column *column, const struct stack_index *index, int64_t number);
/*
 * Whether they can be stack IDs: most are in a stack map, the rest are errors or vanished. A column
 * of nothing but 0 and -1 is none: it is the upper half of a number, or a flag.
 */
bool id_column_possible(const struct id_column *column);
/* How likely that is, to 1, where they are numbers of another kind: by how full the stack maps are. */
double id_column_chance(const struct id_column *column, const struct stack_index *index);
/*
 * Whether they can be nothing else: some are the errors of bpf_get_stackid(), or numbers of
 * another kind would hardly all be in the stack maps (less than one time in a thousand, by how full
 * these are).
 */
bool id_column_certain(const struct id_column *column, const struct stack_index *index);
