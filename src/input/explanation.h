/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --explain prints: for each map of the input what it is, which field plays which role and by
 * which evidence, what is left unused and why, and how the join went.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "util/vec.h"

/* The strings are NUL-terminated, not escaped, and owned. */
struct explained_field {
	char *name;	/* "key.pid", or "user" of a table */
	char *role;	/* as in --key; NULL: it is not used */
	char *evidence; /* why it has that role, or none */
};

/* What became of the stacks of one side. */
struct explained_side {
	uint64_t entries[STACK_STATE_COUNT], weight[STACK_STATE_COUNT];
};

struct explained_map {
	char *name;		   /* "FILE", "FILE (map 12)", "map 12 (counts)" */
	char *kind;		   /* "stack map", "counts", "table", "events" */
	char *evidence;		   /* why it is that; "" where nothing is to be said */
	size_t entries;		   /* or stacks, rows, events */
	size_t key_len, value_len; /* bytes; 0: unknown */
	bool used;
	char *why; /* why it is not used; NULL: it is */
	struct VEC(struct explained_field) fields;
	struct VEC(char *) choices; /* of what is refused: options to paste */
	bool joined;		    /* what follows is filled */
	uint64_t samples, weight;
	struct explained_side user, kernel;
};

/* Zero-filled is empty. */
struct explanation {
	struct VEC(struct explained_map) maps; /* in the order in which they were understood */
	uint64_t samples, weight; /* stacks that stood in the input themselves: address lists */
};

void explanation_deinit(struct explanation *explanation);
