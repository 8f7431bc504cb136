/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds descendants of processes in snapshots of /proc, while processes start and exit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/state.h"
#include "util/table.h"
#include "util/vec.h"

struct tree_row {
	uint32_t pid, parent;
	uint64_t started; /* clock ticks since boot */
};
struct tree_rows VEC(struct tree_row);

struct record_tree {
	struct tree_rows before, now; /* last two snapshots, sorted by parent */
	struct VEC(uint32_t) members; /* PIDs that were added; some may have exited */
	struct table added;	      /* MEMBERS, for lookups */
};

void record_tree_deinit(struct record_tree *tree);
/* Takes a snapshot of all processes and keeps the one before. */
void record_tree_look(struct record_tree *tree, const struct record_state *state);
/* Returns true if PID is in the last snapshot. */
bool record_tree_has(const struct record_tree *tree, uint32_t pid);
/* Sets the members to the processes ROOTS and their descendants in either snapshot. */
void record_tree_add(struct record_tree *tree, const uint32_t *roots, size_t n);
/*
 * Adds possible orphans of the trees: processes that started after ROOTS, are now children of an
 * ancestor of a root, and had an unknown parent before. They look like children of init, or of
 * another process that adopts orphans.
 */
void record_tree_add_doubtful(struct record_tree *tree, const uint32_t *roots, size_t n);
