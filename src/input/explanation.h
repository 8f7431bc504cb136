/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data that --explain prints. For each map of the input: its kind, the role of each field and
 * the evidence for it, why it is not used, and the result of the join.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "util/vec.h"

/* The strings here and below are NUL-terminated, not escaped, and owned. */
struct explained_field {
	char *name;	/* "key.pid", or a column like "user" */
	char *role;	/* as in --key; NULL if unused */
	char *evidence; /* why it has that role, or no role */
};

/* Entries and weight of the stacks of one side, by the state of the stack. */
struct explained_side {
	uint64_t entries[STACK_STATE_COUNT], weight[STACK_STATE_COUNT];
};

struct explained_map {
	char *name;		   /* "FILE", "FILE (map 12)", "map 12 (counts)" */
	char *kind;		   /* "stack map", "counts", "table", "events", … */
	char *evidence;		   /* why it is of that kind */
	size_t entries;		   /* number of entries, stacks, rows or events */
	size_t key_len, value_len; /* in bytes; 0: unknown */
	bool used;
	char *why; /* why it is not used; NULL if it is */
	struct VEC(struct explained_field) fields;
	struct VEC(char *) choices; /* options to choose from, if it was refused as ambiguous */
	bool joined;		    /* true if the fields below are set */
	uint64_t samples, weight;
	struct explained_side user, kernel;
};

struct explanation {
	struct VEC(struct explained_map) maps; /* in the order in which they were read or joined */
	uint64_t samples, weight; /* of stacks in the input itself, as in address lists */
};

void explanation_deinit(struct explanation *explanation);
