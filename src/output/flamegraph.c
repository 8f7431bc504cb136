// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph as one HTML file: the page (flamegraph.html, .css and .js, which flamegraph.sh
 * combines into flamegraph.inc) with the call tree as JSON. The page loads nothing. Its
 * Content-Security-Policy allows only its own script and style to run. Text from outside is only in
 * the JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/call_tree.h"
#include "output/diff/diff.h"
#include "output/flamegraph.inc" /* page_head, page_tail */
#include "util/json_text.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { NODES = 4096 /* per piece */ };

/* Source lines of a node; 0: unknown. */
struct source_lines {
	uint32_t file, line, last_line;
};

struct flamegraph {
	struct call_tree *tree;
	const struct diff *diff; /* NULL: not a difference */
	/* set by flamegraph_pieces(): */
	struct call_graph made;
	struct VEC(uint32_t) order; /* nodes in output order: depth first, parents first */
	uint32_t *numbers;	    /* index in ORDER, by node */
	struct table place_numbers;
	struct VEC(struct source_lines) places; /* by number, from 1 */
	/* number of its source lines, by node; 0: unknown */
	uint32_t *place_of;
};

static void *flamegraph_create(const struct output_options *options)
{
	struct flamegraph *graph = xnew(graph);

	graph->tree = call_tree_create(options, CALL_TREE_NODES_MAX);
	graph->diff = options->diff;
	return graph;
}

static void flamegraph_destroy(void *state)
{
	struct flamegraph *graph = state;

	call_tree_destroy(graph->tree);
	vec_deinit(&graph->order);
	vec_deinit(&graph->places);
	table_deinit(&graph->place_numbers);
	free(graph->numbers);
	free(graph->place_of);
	free(graph);
}

static void flamegraph_trace(void *state, const struct trace *trace, struct text *text)
{
	struct flamegraph *graph = state;

	(void)text;
	call_tree_add(graph->tree, trace);
}

/* ---- output --------------------------------------------------------------------------------- */

static void order_nodes(struct flamegraph *graph)
{
	uint32_t node = 0;

	do {
		graph->numbers[node] = (uint32_t)graph->order.len;
		vec_push(&graph->order, node);
		node = call_tree_next(graph->tree, node);
	} while (node);
}

static uint32_t place_number(struct flamegraph *graph, const struct call_node *node)
{
	const struct source_lines place = {node->file, node->line, node->last_line};

	if (!node->file)
		return 0;
	uint64_t number = table_number(&graph->place_numbers, &place, sizeof(place));
	if (number > graph->places.len)
		vec_push(&graph->places, place);
	return (uint32_t)number;
}

static size_t flamegraph_pieces(void *state)
{
	struct flamegraph *graph = state;

	graph->made = call_tree_finish(graph->tree);
	size_t n = graph->made.n_nodes;
	graph->numbers = xcalloc(n, sizeof(*graph->numbers));
	graph->place_of = xcalloc(n, sizeof(*graph->place_of));
	order_nodes(graph);
	for (size_t i = 0; i < n; i++)
		graph->place_of[i] = place_number(graph, &graph->made.nodes[i]);
	return 2 + (n + NODES - 1) / NODES;
}

/*
 * Adds S as a JSON string. Writes characters that could begin or end a script or comment in HTML as
 * \u00XX.
 */
static void add_string(struct text *text, const char *s)
{
	text_add_char(text, '"');
	for (size_t len; *s; s += len) {
		len = strcspn(s, "<>&");
		text_add_json(text, s, len);
		if (s[len])
			text_printf(text, "\\u%04x", (unsigned char)s[len++]);
	}
	text_add_char(text, '"');
}

static void add_item(struct text *text, uint64_t number)
{
	json_add_comma(text);
	text_add_decimal(text, number);
}

static void add_strings(struct text *text, const struct call_graph *made)
{
	json_open(text, "strings", '[');
	array_each(string, made->strings, made->n_strings) {
		json_add_comma(text);
		add_string(text, *string);
	}
	text_add_char(text, ']');
}

static void add_words(struct text *text)
{
	const char *kinds[CALL_KIND_COUNT];

	for (int i = 0; i < CALL_KIND_COUNT; i++)
		kinds[i] = call_kind_text((enum call_kind)i);
	json_add_strings(text, "kinds", kinds, CALL_KIND_COUNT);
	json_add_key(text, "mark_texts");
	for (unsigned int i = 0; i < CALL_MARK_COUNT; i++) {
		text_add_string(text, i ? ",\"" : "[\"");
		call_mark_add(text, i);
		text_add_char(text, '"');
	}
	text_add_char(text, ']');
}

/* Adds six numbers per frame: name, object, reason, language, kind, flags. */
static void add_frames(const struct flamegraph *graph, struct text *text)
{
	json_open(text, "frames", '[');
	array_each(frame, graph->made.frames, graph->made.n_frames) {
		add_item(text, frame->name);
		add_item(text, frame->object);
		add_item(text, frame->reason);
		add_item(text, frame->language);
		add_item(text, frame->kind);
		add_item(text, frame->inlined | (uint64_t)frame->doubtful << 1);
	}
	text_add_char(text, ']');
}

/* Adds three numbers per mark (node, mark, weight), and per place (file, line, last line). */
static void add_marks_and_places(const struct flamegraph *graph, struct text *text)
{
	const struct call_mark *marks = graph->made.marks;

	json_open(text, "marks", '[');
	array_each(mark, marks, graph->made.n_marks) {
		add_item(text, graph->numbers[mark->node]);
		add_item(text, mark->mark);
		add_item(text, mark->weight);
	}
	text_add_char(text, ']');
	json_open(text, "places", '[');
	vec_each(place, &graph->places) {
		add_item(text, place->file);
		add_item(text, place->line);
		add_item(text, place->last_line);
	}
	text_add_char(text, ']');
}

static void add_text(struct text *text, const char *key, const char *s)
{
	auto_text struct text shown = {};

	text_add_escaped_string(&shown, s);
	json_add_key(text, key);
	add_string(text, shown.len ? shown.data : "");
}

static void add_diff(const struct diff *diff, struct text *text)
{
	if (!diff)
		return;
	json_open(text, "diff", '{');
	add_text(text, "old", diff->files[DIFF_OLD]);
	add_text(text, "new", diff->files[DIFF_NEW]);
	json_add_bool(text, "normalized", diff->normalized);
	json_add_bool(text, "old_widths", diff->old_widths);
	text_add_char(text, '}');
}

static void add_head(const struct flamegraph *graph, struct text *text)
{
	const struct call_graph *made = &graph->made;

	text_add(text, page_head, sizeof(page_head) - 1);
	text_add_char(text, '{');
	json_add_key(text, "unit");
	add_string(text, made->weight_name);
	/* a string, since JavaScript's numbers are exact only to 2^53 */
	json_add_key(text, "total");
	text_printf(text, "\"%llu\"", (unsigned long long)made->nodes->total);
	add_diff(graph->diff, text);
	add_words(text);
	add_strings(text, made);
	add_frames(graph, text);
	add_marks_and_places(graph, text);
	json_open(text, "nodes", '[');
}

/* Adds four numbers per node: depth, frame, self, place. In a difference also OLD's self. */
static void add_nodes(const struct flamegraph *graph, size_t first, struct text *text)
{
	const struct call_weights *old = graph->made.old;

	for (size_t i = first; i < graph->order.len && i < first + NODES; i++) {
		const struct call_node *node = &graph->made.nodes[graph->order.data[i]];

		text_add_string(text, i ? ",\n" : "\n");
		text_add_decimal(text, node->depth);
		add_item(text, node->frame);
		add_item(text, node->self);
		add_item(text, graph->place_of[graph->order.data[i]]);
		if (old)
			add_item(text, old[graph->order.data[i]].self);
	}
}

static void flamegraph_piece(const void *state, size_t i, struct text *text)
{
	const struct flamegraph *graph = state;

	if (!i)
		add_head(graph, text);
	else if ((i - 1) * NODES < graph->order.len)
		add_nodes(graph, (i - 1) * NODES, text);
	else
		text_printf(text, "]}\n%s", page_tail);
}

const struct format flamegraph_format = {flamegraph_create, flamegraph_destroy, flamegraph_trace,
	flamegraph_pieces, flamegraph_piece};
