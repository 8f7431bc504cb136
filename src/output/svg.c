// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph as a picture, for tickets: SVG 1.1 without scripts, styles or links. It has the
 * boxes that the page shows first in a window as wide, in lower rows if there are many.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/call_tree.h"
#include "output/diff/diff.h"
#include "util/cleanup.h"
#include "util/vec.h"

/* In pixels. Rows get lower, down to ROW_MIN, to keep them all within ROWS. */
enum {
	WIDTH = 1200,
	MARGIN = 10,
	DRAWN = WIDTH - 2 * MARGIN,
	ROWS = 900,
	ROW = 18,
	ROW_MIN = 7,
	FONT = 12,
	HEAD = 46,
	FOOT = 36
};

/* The width of a letter, as a part of its height, in nearly all monospaced fonts is 0.6. */
static const double letter_width = 0.61;

struct svg {
	const struct call_graph *graph;
	const struct diff *diff; /* NULL: not a difference */
	double largest;		 /* largest absolute difference of self weights */
	double pixel;		 /* weight of one */
	uint32_t depth;		 /* largest depth of a box */
	double row;		 /* height of a row */
};

/* ---- layout ---- */

/* Returns the part of NODE's weight that has its heaviest mark, 0 to 1. Marks are those of NEW. */
static double marked_share(const struct svg *svg, uint32_t node)
{
	size_t n;
	const struct call_mark *marks = call_graph_marks(svg->graph, node, &n);
	uint64_t most = 0;

	array_each(mark, marks, n)
		most = mark->weight > most ? mark->weight : most;
	if (!most || (svg->graph->old && svg->diff->old_widths))
		return 0;
	return (double)most / (double)svg->graph->nodes[node].total;
}

static struct diff_pair self_pair(const struct svg *svg, uint32_t node)
{
	return (struct diff_pair){svg->graph->old[node].self, svg->graph->nodes[node].self};
}

/* ---- text ---- */

static void add_share(const struct svg *svg, struct text *text, uint64_t weight)
{
	text_printf(text, "%.2f %%", 100 * (double)weight / (svg->pixel * DRAWN));
}

/* Adds as much of S as fits into LEFT letters. Characters that are not ASCII count as two. */
static void add_fitting(struct text *text, const char *s, double left)
{
	size_t len = strlen(s), at = 0, fits = 0;

	while (at < len) {
		size_t n = text_utf8_length(s + at, len - at);

		left -= n > 1 ? 2 : 1;
		if (left < 0)
			break;
		at += n ?: 1;
		if (left >= 2)
			fits = at;
	}
	if (at == len) {
		text_add_xml(text, s, len);
	} else if (fits) {
		text_add_xml(text, s, fits);
		text_add_string(text, "..");
	}
}

/* ---- frames ---- */

static const char *const colors[CALL_KIND_COUNT] = {[CALL_GROUP] = "#d8d4c4",
	[CALL_USER] = "#f2a65e",
	[CALL_JIT] = "#9fd07c",
	[CALL_KERNEL] = "#7fb2e0",
	[CALL_BPF] = "#c39be6",
	[CALL_UNNAMED] = "#bdbdbd",
	[CALL_LOST] = "#ee8585"};

/* Adds "weight: old 12 (1.00 %), new 24 (3.00 %), difference +2.00 %". */
static void add_pair(
	const struct svg *svg, struct text *text, const char *what, struct diff_pair pair)
{
	text_printf(text, "%s: old %" PRIu64 " (%.2f %%), new %" PRIu64 " (%.2f %%), difference ",
		what, pair.old, diff_share(svg->diff, DIFF_OLD, pair.old), pair.new,
		diff_share(svg->diff, DIFF_NEW, pair.new));
	diff_add_difference(text, svg->diff, pair);
}

/*
 * Adds the tooltip after the name: "user code, inlined, shop, demo.c:12\nweight 5, 1.00 %, self 2".
 */
static void add_details(const struct svg *svg, struct text *text, uint32_t number)
{
	const struct call_graph *graph = svg->graph;
	const struct call_node *node = &graph->nodes[number];
	const struct call_frame *frame = &graph->frames[node->frame];
	size_t n;
	const struct call_mark *marks = call_graph_marks(graph, number, &n);

	text_add_string(text, number ? call_kind_texts[frame->kind] : graph->weight_name);
	if (frame->inlined)
		text_add_string(text, ", inlined");
	if (frame->doubtful)
		text_add_string(text, ", doubtful");
	if (frame->object)
		text_printf(text, ", %s", graph->strings[frame->object]);
	if (node->file)
		text_printf(text, ", %s", graph->strings[node->file]);
	if (node->line)
		text_printf(text, ":%" PRIu32, node->line);
	if (node->last_line > node->line)
		text_printf(text, "-%" PRIu32, node->last_line);
	if (graph->old) {
		add_pair(svg, text, "\nweight",
			(struct diff_pair){graph->old[number].total, node->total});
		add_pair(svg, text, "\nself", self_pair(svg, number));
	} else {
		text_printf(text, "\nweight %" PRIu64 ", ", node->total);
		add_share(svg, text, node->total);
		text_printf(text, ", self %" PRIu64, node->self);
	}
	if (frame->reason)
		text_printf(text, "\n%s", graph->strings[frame->reason]);
	array_each(mark, marks, n) {
		text_add_char(text, '\n');
		call_mark_add(text, mark->mark);
		text_add_string(text, ": ");
		add_share(svg, text, mark->weight);
	}
}

static void add_rectangle(
	struct text *text, double x, double y, double width, double height, const char *color)
{
	text_printf(text,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y,
		width, height, color);
}

static void add_label(const struct svg *svg, struct text *text, double x, double y, double width,
	const char *name)
{
	auto_text struct text label = {};
	double font = svg->row * FONT / ROW;

	add_fitting(&label, name, (width - 6) / font / letter_width);
	if (label.len)
		text_printf(text, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">%s</text>", x + 3,
			y + font, font, label.data);
}

/* In differences, red is for more self weight than in OLD, blue for less, like flamegraph.pl. */
static void add_color(const struct svg *svg, struct text *text, const struct call_box *box,
	const struct call_frame *frame)
{
	if (box->narrow || !box->node || !svg->graph->old) {
		text_add_string(text, box->narrow  ? "#dcdcd6"
				      : !box->node ? "#cfcfc8"
						   : colors[frame->kind]);
		return;
	}
	double difference = diff_difference(svg->diff, self_pair(svg, box->node));
	int pale = svg->largest > 0 ? (int)(210 * (1 - fabs(difference) / svg->largest)) : 0;

	if (difference > 0)
		text_printf(text, "#ff%02x%02x", pale, pale);
	else if (difference < 0)
		text_printf(text, "#%02x%02xff", pale, pale);
	else
		text_add_string(text, "#ececea");
}

static void draw_box(const struct svg *svg, struct text *text, const struct call_box *box)
{
	auto_text struct text title = {}, color = {};
	const struct call_node *node = &svg->graph->nodes[box->node];
	const struct call_frame *frame = &svg->graph->frames[node->frame];
	const char *name = box->narrow ? "too narrow to draw"
			   : box->node ? svg->graph->strings[frame->full ?: frame->name]
				       : "all";
	double x = MARGIN + (double)box->start / svg->pixel;
	double width = (double)box->weight / svg->pixel, gap = width > 3 ? 0.6 : 0;
	double y = HEAD + (svg->depth - node->depth) * svg->row;

	if (box->narrow)
		add_share(svg, &title, box->weight);
	else
		add_details(svg, &title, box->node);
	add_color(svg, &color, box, frame);
	text_add_string(text,
		frame->inlined && !box->narrow ? "<g fill-opacity=\"0.6\"><title>" : "<g><title>");
	text_add_xml(text, name, strlen(name));
	text_add_char(text, '\n');
	text_add_xml(text, title.data, title.len);
	text_add_string(text, "</title>");
	add_rectangle(text, x, y, width - gap, svg->row - 1, color.data);
	if (!box->narrow) {
		double marked = marked_share(svg, box->node);

		if (marked > 0)
			add_rectangle(
				text, x, y + svg->row - 3, (width - gap) * marked, 2, "#c00000");
		add_label(svg, text, x, y, width,
			box->node ? svg->graph->strings[frame->name] : name);
	}
	text_add_string(text, "</g>\n");
}

/* ---- page ----------------------------------------------------------------------------------- */

static void add_line(struct text *text, double x, double y, const char *attributes, const char *s)
{
	text_printf(text, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	text_add_xml(text, s, strlen(s));
	text_add_string(text, "</text>\n");
}

static void add_head(const struct svg *svg, struct text *text)
{
	const char *name = svg->graph->weight_name;
	const struct diff *diff = svg->diff;
	auto_text struct text line = {};
	unsigned int height = HEAD + (unsigned int)((svg->depth + 1) * svg->row) + FOOT;

	text_printf(text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" font-family=\"DejaVu Sans Mono, Consolas, Menlo, monospace\" "
		"font-size=\"%d\" fill=\"#161616\">\n",
		WIDTH, height, WIDTH, height, FONT);
	add_rectangle(text, 0, 0, WIDTH, height, "#ffffff");
	text_add_char(text, '\n');
	add_line(text, MARGIN, 20, " font-size=\"16\" font-weight=\"bold\"",
		svg->graph->old ? "Differential flame graph" : "Flame graph");
	if (svg->graph->old) {
		for (int side = 0; side < DIFF_SIDES; side++)
			text_printf_escaped(&line, "%s: %s, weight %" PRIu64,
				side == DIFF_OLD ? "old" : ", new", diff->files[side],
				diff->traces->sides[side].sum.weight);
		text_printf(&line, "; %s, widths are those of %s",
			diff->normalized ? "normalized" : "absolute",
			diff->old_widths ? "old" : "new");
	} else {
		text_printf(&line, *name ? "weight (%s) %" PRIu64 : "weight%s %" PRIu64, name,
			call_graph_weight(svg->graph, 0));
	}
	add_line(text, MARGIN, 37, "", line.data);
}

static void add_legend(const struct svg *svg, struct text *text)
{
	double x = MARGIN, y = HEAD + (svg->depth + 1) * svg->row + 20;

	if (svg->graph->old) {
		add_line(text, x, y, "", "red: more self weight than in the old dump, blue: less");
		return;
	}
	for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
		const char *name = call_kind_texts[kind];

		add_rectangle(text, x, y - 10, 11, 11, colors[kind]);
		add_line(text, x + 16, y, "", name);
		x += 40 + (double)strlen(name) * FONT * letter_width;
	}
	add_line(text, x, y, "", "paler: inlined; red edge: callers missing, or cut");
}

static void svg_piece(const void *state, size_t i, struct text *text)
{
	const struct call_graph *graph = call_tree_graph(state);
	struct svg svg = {.graph = graph, .diff = graph->options->diff};
	const struct call_box root = {.weight = call_graph_weight(graph, 0)};
	struct call_box box = root;

	(void)i;
	for (uint32_t node = 0; graph->old && node < graph->n_nodes; node++) {
		double difference = fabs(diff_difference(svg.diff, self_pair(&svg, node)));

		svg.largest = difference > svg.largest ? difference : svg.largest;
	}
	svg.pixel = root.weight ? (double)root.weight / DRAWN : 1;
	while (call_box_next(graph, svg.pixel, &box))
		if (graph->nodes[box.node].depth > svg.depth)
			svg.depth = graph->nodes[box.node].depth;
	svg.row = (double)ROWS / (svg.depth + 1);
	svg.row = svg.row < ROW_MIN ? ROW_MIN : svg.row > ROW ? ROW : svg.row;
	add_head(&svg, text);
	box = root;
	do
		draw_box(&svg, text, &box);
	while (call_box_next(graph, svg.pixel, &box));
	add_legend(&svg, text);
	text_add_string(text, "</svg>\n");
}

const struct format svg_format = {
	call_tree_open, call_tree_destroy, call_tree_trace, call_tree_pieces, svg_piece};
