// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "model/object_names.h"
#include "model/stack.h"
#include "output/diff/diff.h"
#include "output/label.h"
#include "output/trace_path.h"
#include "model/remedy.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A frame of a path and its source line. */
struct path_step {
	uint32_t frame, file, line;
	uint32_t marks; /* bits: 1 << mark */
};

struct walked {
	uint32_t frame, node;
};

struct call_tree {
	struct output_options options;
	size_t nodes_max;
	struct table string_numbers, frame_numbers, step_numbers;
	struct table functions; /* name and object → number of the first frame */
	struct table children;	/* parent and frame → node */
	struct table marked;	/* node and mark → weight */
	struct object_names objects;
	struct VEC(const char *) strings;
	struct VEC(struct call_frame) frames;
	struct VEC(struct call_node) nodes;
	struct VEC(struct call_weights) old; /* by node, for the nodes that OLD has */
	struct VEC(struct call_mark) marks;  /* set by call_tree_finish() */
	struct VEC(struct path_step) steps;
	struct trace_path path;		/* frame numbers are indexes of `steps` */
	struct VEC(struct walked) last; /* path that was added last */
	struct text text;		/* scratch, escaped */
	struct call_graph graph;	/* set by call_tree_finish() */
	bool weighted;			/* a weight was added */
	uint32_t weight_name;		/* field of all weights (string); 0: unknown, or several */
};

/* struct path_step has 32 bits for marks. */
_Static_assert(CALL_MARK_COUNT <= 32, "marks are bits");

const char *const call_kind_texts[] = {
#define X(name, text) text,
	CALL_KINDS(X)
#undef X
};

void call_mark_add(struct text *text, unsigned int mark)
{
	if (mark < CALLER_COUNT)
		text_printf(text, "%s: %s", health_kind_words[HEALTH_LOST_CALLER].text,
			lost_caller_words[mark].text);
	else
		text_add_string(text, health_kind_words[mark - CALLER_COUNT].text);
}

static uint32_t string_number(struct call_tree *tree, const char *s, size_t len)
{
	uint64_t number = table_number(&tree->string_numbers, s, len);

	if (number > tree->strings.len)
		vec_push(&tree->strings, table_string(&tree->string_numbers, s, len));
	return (uint32_t)(number - 1);
}

/* ---- frames ---- */

/* Returns the number of S, escaped; 0 if S is NULL or empty. */
static uint32_t escaped_number(struct call_tree *tree, const char *s)
{
	if (!s || !*s)
		return 0;
	text_clear(&tree->text);
	text_add_escaped_string(&tree->text, s);
	return string_number(tree, tree->text.data, tree->text.len);
}

/*
 * Returns the number of FRAME. Frames of the same name and object are different if their kind or
 * status differs, but not if two dumps are compared: another build may inline the function.
 */
static uint32_t frame_number(
	struct call_tree *tree, const struct call_frame *frame, enum frame_status status)
{
	const uint32_t function[] = {frame->name, frame->object};
	uint32_t key[] = {frame->name, frame->object,
		frame->kind | (uint32_t)frame->inlined << 8 | (uint32_t)frame->doubtful << 9,
		status};
	bool added;

	if (tree->options.diff)
		key[2] = key[3] = 0;
	uint32_t number = (uint32_t)table_number(&tree->frame_numbers, key, sizeof(key));

	if (number == tree->frames.len) {
		vec_push(&tree->frames, *frame);
		uint64_t *first = table_at(&tree->functions, function, sizeof(function), &added);
		if (added)
			*first = number;
		tree->frames.data[number].function = (uint32_t)*first;
		return number;
	}
	struct call_frame *same = &tree->frames.data[number];
	if (same->language != frame->language)
		same->language = 0;
	if (same->reason != frame->reason)
		same->reason = status == FRAME_NAMED
				       ? 0
				       : escaped_number(tree, frame_status_words[status].text);
	return number;
}

static enum call_kind kind_of(const struct path_frame *at)
{
	const struct location *location = at->location;

	if (location->kind == LOCATION_LOST)
		return CALL_LOST;
	if (location->status != FRAME_NAMED || !at->frame->function || !*at->frame->function)
		return CALL_UNNAMED;
	if (location->kind == LOCATION_BPF)
		return CALL_BPF;
	if (at->kernel)
		return CALL_KERNEL;
	return location->kind == LOCATION_JIT ? CALL_JIT : CALL_USER;
}

static uint32_t language_number(
	struct call_tree *tree, const struct location *location, const struct frame *frame)
{
	enum language language = language_of(location);

	if (location->status != FRAME_NAMED || location->kind == LOCATION_JIT)
		return 0;
	if (language == LANGUAGE_C && frame->linkage && !strncmp(frame->linkage, "_Z", 2))
		return escaped_number(tree, "c++");
	return escaped_number(tree, language_words[language].key);
}

static uint32_t reason_number(struct call_tree *tree, const struct location *location)
{
	auto_text struct text text = {};
	const char *fix = location_fix(location);

	if (location->status == FRAME_NAMED && !location->detail)
		return 0;
	label_add_reason(&text, location->status, location->lost, location->lost_error);
	if (location->detail)
		text_printf(&text, "%s%s", text.len ? ": " : "", location->detail);
	if (*fix)
		text_printf(&text, "; fix: %s", fix);
	return escaped_number(tree, text.data);
}

static uint32_t step_number(void *context, struct text *name, const struct path_frame *at)
{
	struct call_tree *tree = context;
	const struct location *location = at->location;
	const struct frame *frame = at->frame;
	struct call_frame shown = {
		.kind = CALL_GROUP, .name = string_number(tree, name->data, name->len)};
	struct path_step step = {};

	if (location) {
		shown.kind = kind_of(at);
		shown.inlined = frame->inlined;
		shown.doubtful = location->doubtful;
		shown.full = escaped_number(tree, frame->shown ? frame->function : NULL);
		shown.object = object_names_number(&tree->objects,
			tree->options.diff ? NULL : location->object, label_object(location));
		shown.mark = at->mark;
		shown.reason = reason_number(tree, location);
		shown.language = language_number(tree, location, frame);
		step.line = frame->line;
		if (frame->file)
			step.file = escaped_number(tree, label_file(frame->file, &tree->options));
		if (location->lost_caller && frame == &location->frames[location->n_frames - 1])
			step.marks = 1U << location->lost_caller;
	}
	step.frame = frame_number(tree, &shown, location ? location->status : FRAME_NAMED);
	uint64_t number = table_number(&tree->step_numbers, &step, sizeof(step));
	if (number > tree->steps.len)
		vec_push(&tree->steps, step);
	return (uint32_t)(number - 1);
}

struct call_tree *call_tree_create(const struct output_options *options, size_t nodes_max)
{
	struct call_tree *tree = xnew(tree);

	tree->options = *options;
	tree->nodes_max = nodes_max;
	tree->path = (struct trace_path){.options = &tree->options,
		.number = step_number,
		.context = tree,
		.none = "[no stack]"};
	string_number(tree, "", 0);
	vec_add(&tree->frames);
	vec_add(&tree->nodes);
	return tree;
}

void call_tree_destroy(void *tree_)
{
	struct call_tree *tree = tree_;

	if (!tree)
		return;
	table_deinit(&tree->string_numbers);
	table_deinit(&tree->frame_numbers);
	table_deinit(&tree->functions);
	table_deinit(&tree->children);
	table_deinit(&tree->marked);
	object_names_deinit(&tree->objects);
	vec_deinit(&tree->strings);
	vec_deinit(&tree->frames);
	vec_deinit(&tree->nodes);
	vec_deinit(&tree->old);
	vec_deinit(&tree->marks);
	table_deinit(&tree->step_numbers);
	vec_deinit(&tree->steps);
	trace_path_deinit(&tree->path);
	vec_deinit(&tree->last);
	text_deinit(&tree->text);
	free(tree);
}

/* ---- the tree ---- */

/* Extends the line range of NODE to include STEP. Clears file and lines if the files differ. */
static void merge_place(struct call_node *node, const struct path_step *step)
{
	if (node->file != step->file) {
		node->file = node->line = node->last_line = 0;
	} else if (step->line && node->file) {
		if (!node->line || step->line < node->line)
			node->line = step->line;
		if (step->line > node->last_line)
			node->last_line = step->line;
	}
}

/* Returns the child of PARENT for STEP, and adds it if it is new. Returns 0 if there is no room. */
static uint32_t child_of(struct call_tree *tree, uint32_t parent, const struct path_step *step)
{
	const uint32_t key[] = {parent, step->frame};

	if (tree->nodes.len > tree->nodes_max) {
		const uint64_t *known = table_find(&tree->children, key, sizeof(key));

		return known ? (uint32_t)*known : 0;
	}
	uint32_t number = (uint32_t)table_number(&tree->children, key, sizeof(key));
	if (number == tree->nodes.len)
		vec_push(&tree->nodes, (struct call_node){.parent = parent,
					       .depth = tree->nodes.data[parent].depth + 1,
					       .frame = step->frame,
					       .file = step->file,
					       .line = step->line,
					       .last_line = step->line});
	return number;
}

/* Adds the last node, which is for stacks that find no room. */
static void add_rest(struct call_tree *tree)
{
	const struct call_frame rest = {.kind = CALL_GROUP,
		.name = string_number(tree, CALL_TREE_REST, strlen(CALL_TREE_REST))};

	vec_push(&tree->nodes,
		(struct call_node){.depth = 1, .frame = frame_number(tree, &rest, FRAME_NAMED)});
}

static void add_marks(struct call_tree *tree, uint32_t node, uint32_t marks, uint64_t weight)
{
	for (uint32_t mark = 0; marks >> mark; mark++) {
		const uint32_t key[] = {node, mark};

		if (marks >> mark & 1)
			weight_add(table_at(&tree->marked, key, sizeof(key), NULL), weight);
	}
}

/* Returns the bits of the marks of one side that its frames do not have already. */
static uint32_t side_marks(const struct stack_health *health)
{
	const unsigned int said =
		1U << HEALTH_LOST_CALLER | 1U << HEALTH_COLLIDED | 1U << HEALTH_LOST;

	return (health->kinds & ~said) << CALLER_COUNT;
}

/*
 * Adds TRACE. Continues from the part of its path that is the same as in the path before: most
 * paths begin alike.
 */
static void enter_path(struct call_tree *tree, const struct trace *trace)
{
	const struct trace_path *path = &tree->path;
	uint64_t weight = trace->sample->weight;
	uint32_t node = 0;
	size_t same = 0;

	for (size_t i = 0; i < path->frames.len; i++) {
		const struct path_step *step = &tree->steps.data[path->frames.data[i]];
		struct call_node *at;
		uint32_t marks = step->marks;

		if (same == i && i < tree->last.len && tree->last.data[i].frame == step->frame) {
			node = tree->last.data[i].node;
			same++;
		} else {
			node = child_of(tree, node, step);
			tree->last.len = i;
			if (!node)
				break;
			vec_push(&tree->last, (struct walked){step->frame, node});
		}
		at = &tree->nodes.data[node];
		if (node < tree->old.len && !tree->old.data[node].placed) {
			/* NEW, another build, has other lines */
			at->file = step->file;
			at->line = at->last_line = step->line;
			tree->old.data[node].placed = true;
		}
		merge_place(at, step);
		if (i == path->user && trace->n_user)
			marks |= side_marks(&trace->user_health);
		if (i == path->kernel && trace->n_kernel)
			marks |= side_marks(&trace->kernel_health);
		add_marks(tree, node, marks, weight);
	}
	if (!node) {
		if (tree->nodes.len == tree->nodes_max + 1)
			add_rest(tree);
		node = (uint32_t)tree->nodes.len - 1;
	}
	weight_add(&tree->nodes.data[node].self, weight);
}

void call_tree_trace(void *tree_, const struct trace *trace, struct text *text)
{
	struct call_tree *tree = tree_;
	uint32_t weight_name = escaped_number(tree, trace->sample->weight_name);

	(void)text;
	trace_path_build(&tree->path, trace);
	enter_path(tree, trace);
	if (!tree->weighted || tree->weight_name != weight_name)
		tree->weight_name = tree->weighted ? 0 : weight_name;
	tree->weighted = true;
}

/* ---- differences ---- */

static void add_both(struct call_tree *tree)
{
	const struct diff *diff = tree->options.diff;

	diff_traces_each(diff->traces, DIFF_OLD, call_tree_trace, tree);
	vec_each(node, &tree->nodes) {
		vec_push(&tree->old, (struct call_weights){.self = node->self});
		node->self = 0;
	}
	/* only the marks of NEW are shown */
	table_clear(&tree->marked);
	diff_traces_each(diff->traces, DIFF_NEW, call_tree_trace, tree);
	while (tree->old.len < tree->nodes.len)
		vec_add(&tree->old);
}

/* ---- names ---- */

static void name_frames(struct call_tree *tree)
{
	size_t n = tree->frames.len;
	auto_free struct marked_name *names = xcalloc(n, sizeof(*names));
	scope_guard(arena_deinit) struct arena memory = {};
	const char *const *strings = tree->strings.data;

	for (size_t i = 0; i < n; i++) {
		const struct call_frame *frame = &tree->frames.data[i];

		names[i] = (struct marked_name){.name = strings[frame->name],
			.whole = strings[frame->full ?: frame->name],
			.mark = frame->mark,
			.number = frame->object};
	}
	names_distinguish(names, n, &tree->objects, &memory);
	for (size_t i = 0; i < n; i++) {
		tree->frames.data[i].name =
			string_number(tree, names[i].name, strlen(names[i].name));
		tree->frames.data[i].object = escaped_number(tree, names[i].object);
	}
}

/* ---- order ---- */

static int compare_frames(const void *a, const void *b, void *context)
{
	const struct call_tree *tree = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct call_frame *f = &tree->frames.data[x], *g = &tree->frames.data[y];
	const char *const *strings = tree->strings.data;

	return strcmp(strings[f->name], strings[g->name])
		       ?: strcmp(strings[f->object], strings[g->object])
		       ?: order_of(f->kind, g->kind)
		       ?: order_of(f->inlined, g->inlined) ?: order_of(x, y);
}

/* Orders siblings by the names of their frames. */
static void link_nodes(struct call_tree *tree)
{
	struct ranked {
		uint64_t key; /* parent << 32 | rank of the frame */
		uint64_t node;
	};
	size_t n = tree->nodes.len, n_frames = tree->frames.len;
	struct call_node *nodes = tree->nodes.data;
	auto_free struct ranked *sorted = xcalloc(n, sizeof(*sorted));
	auto_free uint32_t *order = xcalloc(n_frames, sizeof(*order));
	auto_free uint32_t *ranks = xcalloc(n_frames, sizeof(*ranks));

	for (uint32_t i = 0; i < n_frames; i++)
		order[i] = i;
	qsort_r(order, n_frames, sizeof(*order), compare_frames, tree);
	for (uint32_t i = 0; i < n_frames; i++)
		ranks[order[i]] = i;
	for (size_t i = 1; i < n; i++)
		sorted[i] =
			(struct ranked){(uint64_t)nodes[i].parent << 32 | ranks[nodes[i].frame], i};
	radix_sort(sorted, n, sizeof(*sorted));
	for (size_t i = n; i-- > 1;) {
		struct call_node *node = &nodes[sorted[i].node];

		node->next = nodes[node->parent].first;
		nodes[node->parent].first = (uint32_t)sorted[i].node;
	}
}

/* Goes backwards, since parents come before their children. */
static void add_up(struct call_tree *tree)
{
	struct call_node *nodes = tree->nodes.data;
	struct call_weights *old = tree->old.data; /* none, or as many */

	for (size_t i = tree->nodes.len; i-- > 0;) {
		weight_add(&nodes[i].total, nodes[i].self);
		if (i)
			weight_add(&nodes[nodes[i].parent].total, nodes[i].total);
		if (!old)
			continue;
		weight_add(&old[i].total, old[i].self);
		if (i)
			weight_add(&old[nodes[i].parent].total, old[i].total);
	}
}

COMPARE(compare_marks, struct call_mark, order_of(a->node, b->node) ?: order_of(a->mark, b->mark))

const struct call_graph *call_tree_finish(struct call_tree *tree)
{
	if (tree->options.diff)
		add_both(tree);
	name_frames(tree);
	link_nodes(tree);
	add_up(tree);
	array_each(slot, tree->marked.slots, tree->marked.cap) {
		uint32_t key[2]; /* as in add_marks() */

		if (!slot->key)
			continue;
		memcpy(key, slot->key, sizeof(key));
		vec_push(&tree->marks, (struct call_mark){key[0], key[1], slot->value});
	}
	vec_sort(&tree->marks, compare_marks);
	tree->graph = (struct call_graph){.options = &tree->options,
		.nodes = tree->nodes.data,
		.frames = tree->frames.data,
		.strings = tree->strings.data,
		.marks = tree->marks.data,
		.old = tree->options.diff ? tree->old.data : NULL,
		.n_nodes = tree->nodes.len,
		.n_frames = tree->frames.len,
		.n_strings = tree->strings.len,
		.n_marks = tree->marks.len,
		.weight_name = tree->strings.data[tree->weight_name]};
	vec_each(node, &tree->nodes) {
		uint64_t start = node->start;

		for (uint32_t child = node->first; child; child = tree->nodes.data[child].next) {
			tree->nodes.data[child].start = start;
			start += call_graph_weight(&tree->graph, child);
		}
	}
	return &tree->graph;
}

uint32_t call_graph_after(const struct call_graph *graph, uint32_t node)
{
	const struct call_node *nodes = graph->nodes;

	while (node && !nodes[node].next)
		node = nodes[node].parent;
	return nodes[node].next;
}

uint32_t call_graph_next(const struct call_graph *graph, uint32_t node)
{
	return graph->nodes[node].first ?: call_graph_after(graph, node);
}

uint64_t call_graph_weight(const struct call_graph *graph, uint32_t node)
{
	return graph->old && graph->options->diff->old_widths ? graph->old[node].total
							      : graph->nodes[node].total;
}

bool call_box_next(const struct call_graph *graph, double least, struct call_box *box)
{
	do {
		uint32_t node = box->narrow ? call_graph_after(graph, box->node)
					    : call_graph_next(graph, box->node);

		if (!node)
			return false;
		*box = (struct call_box){.start = graph->nodes[node].start,
			.narrow = (double)call_graph_weight(graph, node) < least};
		do {
			box->node = node;
			box->weight += call_graph_weight(graph, node);
			node = graph->nodes[node].next;
		} while (box->narrow && node && (double)call_graph_weight(graph, node) < least);
	} while ((double)box->weight < least);
	return true;
}

const struct call_mark *call_graph_marks(
	const struct call_graph *graph, uint32_t node, size_t *n_ret)
{
	size_t first = sorted_count(graph->marks, graph->n_marks, .node < node);

	*n_ret = sorted_count(graph->marks, graph->n_marks, .node <= node) - first;
	return *n_ret ? graph->marks + first : NULL;
}

/* ---- formats -------------------------------------------------------------------------------- */

void *call_tree_open(const struct output_options *options)
{
	return call_tree_create(options, CALL_TREE_NODES_MAX);
}

size_t call_tree_pieces(void *tree)
{
	call_tree_finish(tree);
	return 1;
}

const struct call_graph *call_tree_graph(const void *tree)
{
	return &((const struct call_tree *)tree)->graph;
}
