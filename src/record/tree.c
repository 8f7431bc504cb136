// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/only.h"

#include <dirent.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/scan.h"
#include "util/vec.h"

enum { ANCESTORS_MAX = 1 << 12 };

void record_tree_deinit(struct record_tree *tree)
{
	vec_deinit(&tree->before);
	vec_deinit(&tree->now);
	vec_deinit(&tree->members);
	table_deinit(&tree->added);
}

COMPARE(compare_rows, struct tree_row, order_of(a->parent, b->parent) ?: order_of(a->pid, b->pid))

void record_tree_look(struct record_tree *tree, const struct record_state *state)
{
	const char *proc_root = state->options->proc_root;
	scope_guard(procfs_close_dir) DIR *all = opendir(proc_root);
	uint32_t pid;

	vec_deinit(&tree->before);
	tree->before = tree->now;
	tree->now = (struct tree_rows){};
	while (!record_checkpoint(state) && procfs_next_id(all, &pid)) {
		auto_fd int fd = procfs_open_process(proc_root, pid);
		uint64_t parent;

		if (procfs_stat_field(fd, 4, &parent))
			vec_push(&tree->now,
				(struct tree_row){pid, (uint32_t)parent, procfs_started(fd)});
	}
	vec_sort(&tree->now, compare_rows);
}

static const struct tree_row *find_row(const struct tree_rows *rows, uint32_t pid)
{
	vec_each(row, rows)
		if (row->pid == pid)
			return row;
	return NULL;
}

bool record_tree_has(const struct record_tree *tree, uint32_t pid)
{
	return find_row(&tree->now, pid) != NULL;
}

static void add_member(struct record_tree *tree, uint32_t pid)
{
	bool added;

	(void)table_at(&tree->added, &pid, sizeof(pid), &added);
	if (added)
		vec_push(&tree->members, pid);
}

static void add_children(struct record_tree *tree, const struct tree_rows *rows, uint32_t parent)
{
	size_t i = sorted_count(rows->data, rows->len, .parent < parent);

	for (; i < rows->len && rows->data[i].parent == parent; i++)
		add_member(tree, rows->data[i].pid);
}

/* Adds the descendants of the members from index FIRST on. */
static void add_descendants(struct record_tree *tree, size_t first)
{
	for (size_t i = first; i < tree->members.len; i++) {
		uint32_t parent = tree->members.data[i];

		add_children(tree, &tree->before, parent);
		add_children(tree, &tree->now, parent);
	}
}

void record_tree_add(struct record_tree *tree, const uint32_t *roots, size_t n)
{
	table_clear(&tree->added);
	tree->members.len = 0;
	array_each(root, roots, n)
		add_member(tree, *root);
	add_descendants(tree, 0);
}

/* ---- orphans -------------------------------------------------------------------------------- */

/*
 * Returns true if the earlier snapshot shows that ROW is outside the tree: it had the same parent
 * then, or another one that is in that snapshot.
 */
static bool is_outside(const struct record_tree *tree, const struct tree_row *row)
{
	const struct tree_row *before = find_row(&tree->before, row->pid);

	return before && before->started == row->started &&
	       (before->parent == row->parent || find_row(&tree->before, before->parent));
}

void record_tree_add_doubtful(struct record_tree *tree, const uint32_t *roots, size_t n)
{
	scope_guard(table_deinit) struct table ancestors = {};
	uint64_t first = UINT64_MAX;
	size_t known = tree->members.len;

	for (size_t i = 0; i < n; i++) {
		const struct tree_row *root = find_row(&tree->before, roots[i]);
		const struct tree_row *row = find_row(&tree->now, roots[i]) ?: root;

		if (root && root->started < first)
			first = root->started;
		/* one of its ancestors adopts the orphans of the tree */
		for (int depth = 0; row && row->parent && depth < ANCESTORS_MAX; depth++) {
			(void)table_at(&ancestors, &row->parent, sizeof(row->parent), NULL);
			row = find_row(&tree->now, row->parent);
		}
	}
	vec_each(row, &tree->now)
		if (row->started >= first &&
			table_find(&ancestors, &row->parent, sizeof(row->parent)) &&
			!table_find(&tree->added, &row->pid, sizeof(row->pid)) &&
			!is_outside(tree, row))
			add_member(tree, row->pid);
	add_descendants(tree, known);
}
