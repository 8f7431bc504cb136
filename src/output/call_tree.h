/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges stacks into a tree, from their roots on, for graphs. Paths and weights are those of folded
 * stacks with the same options: the self weights of all nodes with one path add up to the weight of
 * its folded line. Frames of one name are different nodes if their kinds or objects differ; objects
 * are different if their build IDs or, without these, their paths are.
 *
 * Names are kept once. The number of nodes is limited: stacks that find no room are counted in the
 * node CALL_TREE_REST, so that no weight is lost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "model/mark.h"
#include "output/output.h"
#include "util/text.h"

enum { CALL_TREE_NODES_MAX = 1 << 21 };

#define CALL_TREE_REST "[too many frames]"

/* X(NAME, text) */
#define CALL_KINDS(X)                                                                              \
	X(GROUP, "process or mark") /* not a function: comm, "-", "[no stack]" */                  \
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

extern const char *const call_kind_texts[CALL_KIND_COUNT];

/*
 * Marks say what is wrong with stacks at a node: values of enum lost_caller, then, from
 * CALLER_COUNT on, those of enum health_kind.
 */
enum { CALL_MARK_COUNT = CALLER_COUNT + HEALTH_KIND_COUNT };

/* Adds the meaning of MARK. */
void call_mark_add(struct text *text, unsigned int mark);

/* What nodes show; equal ones are kept once. Strings are indexes of call_graph.strings; 0: none. */
struct call_frame {
	uint32_t name;	 /* as in a folded line, without a mark that no other function calls for */
	uint32_t full;	 /* whole name; 0: the same as NAME, or none */
	uint32_t object; /* until call_tree_finish(), its number in call_tree.objects */
	uint32_t reason; /* why it has no name or an uncertain one, and what would help */
	uint32_t language; /* key of language_words, or "c++"; 0: not code, or several */
	uint32_t function; /* number of the first frame of that name and object */
	uint8_t kind;	   /* enum call_kind */
	bool inlined, doubtful;
	struct mark mark; /* until call_tree_finish(): in NAME */
};

/* Links are indexes of nodes. Node 0 is the root, which has no frame; as a link 0 means none. */
struct call_node {
	uint32_t parent, first,
		next;	/* child and sibling, ordered by name; set by call_tree_finish() */
	uint32_t depth; /* the root's is 0 */
	uint32_t frame;
	/* file name (string) of the function, or of the calls in it; 0: unknown, or several */
	uint32_t file;
	uint32_t line, last_line; /* first and last line in FILE; 0: unknown */
	uint64_t self, total;	  /* weights; TOTAL is set by call_tree_finish() */
	uint64_t start; /* weight drawn to the left of the node; set by call_tree_finish() */
};

/*
 * Weights of a node in OLD, if two dumps are compared (options->diff). The node itself has those of
 * NEW.
 */
struct call_weights {
	uint64_t self, total;
	bool placed; /* the node has its file and lines from NEW already */
};

/* MARK applies to stacks through NODE that weigh WEIGHT. */
struct call_mark {
	uint32_t node, mark;
	uint64_t weight;
};

/* A finished tree. The struct call_tree owns all of it. */
struct call_graph {
	const struct output_options *options;
	const struct call_node *nodes; /* parents before children */
	const struct call_frame *frames;
	const char *const *strings;	/* by number; the first is "", for none */
	const struct call_mark *marks;	/* sorted by node and mark */
	const struct call_weights *old; /* by node; NULL: not a difference */
	size_t n_nodes, n_frames, n_strings, n_marks;
	const char *weight_name; /* field of the weights; "": unknown, or several */
};

/* What is drawn, in weights: a node, or narrow siblings beside each other. */
struct call_box {
	uint64_t start, weight;
	uint32_t node; /* the last one of several */
	bool narrow;
};

struct call_tree;

/* Creates a tree of at most NODES_MAX nodes, not counting the root and CALL_TREE_REST. */
struct call_tree *call_tree_create(const struct output_options *options, size_t nodes_max);
void call_tree_destroy(void *tree);
/*
 * Sorts the tree and computes totals, which saturate. Nothing may be added afterwards. The result
 * is valid until call_tree_destroy().
 */
const struct call_graph *call_tree_finish(struct call_tree *tree);
/* Returns the node after NODE in depth-first order, parents first; 0 if NODE is the last. */
uint32_t call_graph_next(const struct call_graph *graph, uint32_t node);
/* Like call_graph_next(), but skips the nodes below NODE. */
uint32_t call_graph_after(const struct call_graph *graph, uint32_t node);
/* Returns the weight that the width of NODE shows, which can be that of OLD. */
uint64_t call_graph_weight(const struct call_graph *graph, uint32_t node);
/*
 * Replaces BOX, at first the root's, by the next one in depth-first order. Returns false after the
 * last. Siblings lighter than LEAST, the weight of a pixel, share a box if they are beside each
 * other, below which there is none; they have none if they are lighter together. The page lays out
 * each zoom by the same rule, which only pixels need.
 */
bool call_box_next(const struct call_graph *graph, double least, struct call_box *box);
/* Returns the marks of NODE, and their number in N_RET. NULL if there are none. */
const struct call_mark *call_graph_marks(
	const struct call_graph *graph, uint32_t node, size_t *n_ret);

/* Functions of formats (output/format.h) that print one finished tree, as one piece. */
void *call_tree_open(const struct output_options *options);
/* Adds TRACE. TEXT is not used. */
void call_tree_trace(void *tree, const struct trace *trace, struct text *text);
size_t call_tree_pieces(void *tree);
const struct call_graph *call_tree_graph(const void *tree);
