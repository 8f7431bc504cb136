/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates whether the numbers of a field, over all entries of a map, are stack IDs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/stacks/stack_index.h"

#define ID_COLUMN_DISTINCT 64
#define ID_CHANCE_MAX 0.001 /* probability below which chance is ruled out */

struct id_column {
	uint64_t found, missing;       /* numbers that are IDs in a stack map, and others */
	uint64_t user, kernel, either; /* found IDs, by the possible sides of their stacks */
	uint64_t errors; /* -2 … -4095: bpf_get_stackid() failed (-1: no stack, or EPERM) */
	uint64_t odd;	 /* numbers that are neither IDs nor errors */
	bool varied;	 /* a number is neither 0 nor -1 */
	uint32_t distinct[ID_COLUMN_DISTINCT]; /* the first different IDs found */
	size_t n_distinct;
};

/* Adds NUMBER, as returned by field_stack_id(), to COLUMN. */
void id_column_add(struct id_column *column, const struct stack_index *index, int64_t number);
/*
 * Returns true if the numbers can be stack IDs: at least half are in a stack map, and the rest are
 * errors or deleted IDs. Columns of 0 and -1 only are excluded, because they are flags or upper
 * halves of numbers.
 */
bool id_column_possible(const struct id_column *column);
/*
 * Returns the probability, from 0 to 1, that numbers of another kind would be found as well. It
 * depends on how full the stack maps are.
 */
double id_column_chance(const struct id_column *column, const struct stack_index *index);
/*
 * Returns true if the numbers must be stack IDs: they can be, and either some are errors of
 * bpf_get_stackid(), or id_column_chance() is below ID_CHANCE_MAX.
 */
bool id_column_certain(const struct id_column *column, const struct stack_index *index);
