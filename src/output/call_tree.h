/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks merged from their roots on into a tree, for graphs. Its paths are those of folded stacks
 * with the same options, and so are the weights: the selves of all nodes on one path add up to that
 * of its folded line. Frames of one name are different nodes where they are of different kinds or
 * objects.
 *
 * Names are kept once, nodes are bounded: the weight of stacks that find no room is that of one
 * node, CALL_TREE_REST, so that nothing is lost from the sum.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

enum { CALL_TREE_NODES_MAX = 1 << 21 };

#define CALL_TREE_REST "[too many frames]"

/* X(NAME, text) */
#define CALL_KINDS(X)                                                                              \
	X(GROUP, "process or mark") /* no function: comm, "-", "[no stack]" */                     \
	X(USER, "user code")                                                                       \
	X(JIT, "JIT code")                                                                         \
	X(KERNEL, "kernel")                                                                        \
	X(BPF, "BPF program")                                                                      \
	X(UNNAMED, "no name")                                                                      \
	X(LOST, "lost stack")

enum call_kind {
#define X(name, text) CALL_##name,
	CALL_KINDS(X)
#undef X
		CALL_KIND_COUNT,
};

const char *call_kind_text(enum call_kind kind);

/* What is wrong with stacks at a node: enum lost_caller, and after these enum health_kind. */
enum { CALL_MARK_COUNT = CALLER_COUNT + HEALTH_KIND_COUNT };

/* Adds what MARK means. */
void call_mark_add(struct text *text, unsigned int mark);

/* What nodes show, kept once. Numbers of strings are for call_tree_string(); 0: none. */
struct call_frame {
	uint32_t name; /* as in a folded line */
	uint32_t object;
	uint32_t reason;   /* why it has no name, or a doubtful one, and what would help */
	uint32_t language; /* a word of language_key(), "c++"; 0: no code, or not always the same */
	uint8_t kind;	   /* enum call_kind */
	bool inlined, doubtful;
};

/* Numbers of nodes; 0 is the root of all, which has no frame: also for "none". */
struct call_node {
	uint32_t parent, first,
		next;	/* child and sibling, in the order of names: call_tree_finish() */
	uint32_t depth; /* from 0, the root's */
	uint32_t frame;
	uint32_t file; /* string: of the function, or of the calls in it; 0: unknown, or several */
	uint32_t line, last_line; /* the first and last of these, 0: unknown */
	uint64_t self, total;	  /* weight; total: call_tree_finish() */
};

/* Of a node in OLD of a difference (options->diff), whose nodes are of NEW otherwise. */
struct call_weights {
	uint64_t self, total;
	bool placed; /* the node's lines are those of NEW by now */
};

/* At NODE, WEIGHT of the stacks through it has MARK. */
struct call_mark {
	uint32_t node, mark;
	uint64_t weight;
};

/* A finished tree, whose memory all of it is. */
struct call_graph {
	const struct call_node *nodes; /* each after its parent */
	const struct call_frame *frames;
	const char *const *strings;	/* by number, the first of which is "" for none */
	const struct call_mark *marks;	/* by node and mark */
	const struct call_weights *old; /* by node; NULL: it is no difference */
	size_t n_nodes, n_frames, n_strings, n_marks;
	const char
		*weight_name; /* field of the weights, as "value.delta"; "": unknown, or several */
};

struct call_tree;

/* Of NODES_MAX nodes at most, the root and CALL_TREE_REST not counted. */
struct call_tree *call_tree_create(const struct output_options *options, size_t nodes_max);
void call_tree_destroy(struct call_tree *tree);
void call_tree_add(struct call_tree *tree, const struct trace *trace);
/* Orders the tree and adds up; nothing is added afterwards. Sums saturate. */
struct call_graph call_tree_finish(struct call_tree *tree);
/*
 * The node after NODE in a walk through the tree, root first, children in order; 0: it is the last.
 */
uint32_t call_tree_next(const struct call_tree *tree, uint32_t node);
/* The same, but past the nodes below NODE. */
uint32_t call_tree_after(const struct call_tree *tree, uint32_t node);
