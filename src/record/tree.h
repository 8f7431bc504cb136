/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who descends from a process, by what /proc shows while processes begin and end. */
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

/* Zero-filled has not looked. */
struct record_tree {
	struct tree_rows before, now; /* of the last two looks, by parent */
	struct VEC(uint32_t) members; /* that were added; some may have ended */
	struct table added;	      /* MEMBERS, to find them */
};

void record_tree_deinit(struct record_tree *tree);
/* Looks at all processes. */
void record_tree_look(struct record_tree *tree, const struct record_state *state);
/* Whether the last look showed PID. */
bool record_tree_has(const struct record_tree *tree, uint32_t pid);
/* Adds the processes ROOTS and those that descend from them by one of the two looks. */
void record_tree_add(struct record_tree *tree, const uint32_t *roots, size_t n);
/*
 * Adds those as well that began between the looks and whose parent may have ended since: they look
 * like children of init, or of who else takes the tree's orphans.
 */
void record_tree_add_doubtful(struct record_tree *tree, const uint32_t *roots, size_t n);
