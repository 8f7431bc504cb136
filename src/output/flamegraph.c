// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph as one HTML file: the page (page/, whose files page.sh combines into page.inc) with
 * the call tree as JSON. The page loads nothing. Its Content-Security-Policy allows only its own
 * script and style to run. Text from outside is only in the JSON.
 */

#include "model/stack.h"
#include "output/format.h"
#include "output/call_tree.h"
#include "output/diff/diff.h"
#include "output/page/page.inc" /* page_head, page_tail */
#include "util/cleanup.h"
#include "util/json_text.h"
#include "util/table.h"
#include "util/number.h"
#include "util/vec.h"

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

/* Adds NUMBERS, which were written by varint_add(), as a string of base64. */
static void add_numbers(struct text *text, const char *key, const struct text *numbers)
{
	json_add_key(text, key);
	text_add_char(text, '"');
	text_add_base64(text, numbers->data, numbers->len);
	text_add_char(text, '"');
}

/*
 * Adds eight numbers per frame: name, full name, object, reason, language, kind, flags, and number
 * of the function.
 */
static void add_frames(const struct call_graph *graph, struct text *text)
{
	auto_text struct text numbers = {};

	array_each(frame, graph->frames, graph->n_frames) {
		varint_add(&numbers, frame->name);
		varint_add(&numbers, frame->full);
		varint_add(&numbers, frame->object);
		varint_add(&numbers, frame->reason);
		varint_add(&numbers, frame->language);
		varint_add(&numbers, frame->kind);
		varint_add(&numbers, frame->inlined | (uint64_t)frame->doubtful << 1);
		varint_add(&numbers, frame->function);
	}
	add_numbers(text, "frames", &numbers);
}

static void add_text(struct text *text, const char *key, const char *s)
{
	auto_text struct text shown = {};

	text_add_escaped_string(&shown, s ?: "");
	json_add_key(text, key);
	add_string(text, shown.len ? shown.data : "");
}

/*
 * Adds the nodes as numbers (util/number.h) in base64: levels up from the node before to the
 * parent, frame, twice the place (plus 1 if it has marks), self weight, in a difference OLD's; then
 * how many marks follow, each with its weight. The places are the distinct source lines of nodes,
 * numbered from 1: file, line and last line of each.
 */
static void add_nodes(const struct call_graph *graph, struct text *text)
{
	auto_text struct text bytes = {}, places = {};
	scope_guard(table_deinit) struct table place_numbers = {};
	struct call_box box = {};
	uint32_t before = 0;
	size_t n;

	do {
		const struct call_node *at = &graph->nodes[box.node];
		const struct call_mark *marks = call_graph_marks(graph, box.node, &n);
		const uint32_t lines[] = {at->file, at->line, at->last_line};
		uint64_t known = place_numbers.len;
		uint64_t place = at->file ? table_number(&place_numbers, lines, sizeof(lines)) : 0;

		for (size_t i = 0; place > known && i < array_len(lines); i++)
			varint_add(&places, lines[i]);
		varint_add(&bytes, box.node ? graph->nodes[before].depth + 1 - at->depth : 0);
		varint_add(&bytes, at->frame);
		varint_add(&bytes, place << 1 | (n > 0));
		varint_add(&bytes, at->self);
		if (graph->old)
			varint_add(&bytes, graph->old[box.node].self);
		if (n)
			varint_add(&bytes, n);
		array_each(mark, marks, n) {
			varint_add(&bytes, mark->mark);
			varint_add(&bytes, mark->weight);
		}
		before = box.node;
	} while (call_box_next(graph, 0, &box));
	json_add_unsigned(text, "n_nodes", graph->n_nodes);
	add_numbers(text, "nodes", &bytes);
	add_numbers(text, "places", &places);
}

static void flamegraph_piece(const void *state, size_t i, struct text *text)
{
	const struct call_graph *graph = call_tree_graph(state);
	const struct output_title *title = &graph->options->title;
	const struct diff *diff = graph->options->diff;

	(void)i;
	text_add(text, page_head, sizeof(page_head) - 1);
	text_add_char(text, '{');
	add_text(text, "command", title->command);
	add_text(text, "host", title->host);
	add_text(text, "date", title->date);
	add_text(text, "unit", weight_unit_words[weight_unit_of(graph->weight_name)].text);
	json_add_key(text, "field");
	add_string(text, graph->weight_name);
	if (diff) {
		json_open(text, "diff", '{');
		add_text(text, "old", diff->files[DIFF_OLD]);
		add_text(text, "new", diff->files[DIFF_NEW]);
		json_add_bool(text, "normalized", diff->normalized);
		json_add_bool(text, "old_widths", diff->old_widths);
		text_add_char(text, '}');
	}
	json_add_strings(text, "kinds", call_kind_texts, CALL_KIND_COUNT);
	json_open(text, "mark_texts", '[');
	for (unsigned int mark = 0; mark < CALL_MARK_COUNT; mark++) {
		text_add_string(text, mark ? ",\"" : "\"");
		call_mark_add(text, mark);
		text_add_char(text, '"');
	}
	text_add_char(text, ']');
	json_open(text, "strings", '[');
	array_each(string, graph->strings, graph->n_strings) {
		json_add_comma(text);
		add_string(text, *string);
	}
	text_add_char(text, ']');
	add_frames(graph, text);
	add_nodes(graph, text);
	text_printf(text, "}\n%s", page_tail);
}

const struct format flamegraph_format = {
	call_tree_open, call_tree_destroy, call_tree_trace, call_tree_pieces, flamegraph_piece};
