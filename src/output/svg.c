// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph as a picture, for tickets: SVG 1.1 without scripts, styles or links. Frames
 * narrower than a pixel are left out, and a line in the picture says how much weight they have.
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
#include "util/xalloc.h"

/* In pixels. Letters of nearly all monospaced fonts are about 60 % of FONT wide. */
enum { WIDTH = 1200, MARGIN = 10, ROW = 17, FONT = 12, LETTER_TENTHS = 73, HEAD = 46, FOOT = 56 };

static const double narrowest = 1;

/* The rectangle of a node. */
struct box {
	double x, width;
	uint32_t node;
};

struct svg {
	struct call_tree *tree;
	const struct diff *diff; /* NULL: not a difference */
	/* set by svg_pieces(): */
	struct call_graph made;
	double largest; /* largest absolute difference of self weights */
	struct VEC(struct box) boxes;
	uint32_t depth; /* largest depth of a box */
	uint64_t left_out_frames, left_out_weight;
	bool kinds[CALL_KIND_COUNT]; /* kinds that are drawn */
	bool marked;		     /* a box has a mark */
};

static void *svg_create(const struct output_options *options)
{
	struct svg *svg = xnew(svg);

	svg->tree = call_tree_create(options, CALL_TREE_NODES_MAX);
	svg->diff = options->diff;
	return svg;
}

static void svg_destroy(void *state)
{
	struct svg *svg = state;

	call_tree_destroy(svg->tree);
	vec_deinit(&svg->boxes);
	free(svg);
}

static void svg_trace(void *state, const struct trace *trace, struct text *text)
{
	struct svg *svg = state;

	(void)text;
	call_tree_add(svg->tree, trace);
}

/* ---- layout ---- */

/* Returns the weight that the width of NODE shows. */
static uint64_t drawn_weight(const struct svg *svg, uint32_t node)
{
	return svg->made.old && svg->diff->old_widths ? svg->made.old[node].total
						      : svg->made.nodes[node].total;
}

static double width_of(const struct svg *svg, uint64_t weight)
{
	uint64_t all = drawn_weight(svg, 0);

	return all ? (double)weight / (double)all * (WIDTH - 2 * MARGIN) : 0;
}

static bool is_marked(const struct svg *svg, uint32_t node)
{
	return sorted_count(svg->made.marks, svg->made.n_marks, .node < node) <
	       sorted_count(svg->made.marks, svg->made.n_marks, .node <= node);
}

/* Returns the part of NODE's weight that has its heaviest mark, 0 to 1. */
static double marked_share(const struct svg *svg, uint32_t node)
{
	size_t i = sorted_count(svg->made.marks, svg->made.n_marks, .node < node);
	uint64_t most = 0;

	for (; i < svg->made.n_marks && svg->made.marks[i].node == node; i++)
		most = svg->made.marks[i].weight > most ? svg->made.marks[i].weight : most;
	return (double)most / (double)(svg->made.nodes[node].total + !svg->made.nodes[node].total);
}

/*
 * Adds the box of NODE, after that of its parent. AT: by node, where the box of its next child
 * begins, in pixels.
 */
static void lay_node(struct svg *svg, uint32_t node, double *at)
{
	const struct call_node *n = &svg->made.nodes[node];
	double width = width_of(svg, drawn_weight(svg, node));

	at[node] = node ? at[n->parent] : MARGIN;
	if (node)
		at[n->parent] += width;
	vec_push(&svg->boxes, (struct box){at[node], width, node});
	if (n->depth > svg->depth)
		svg->depth = n->depth;
	svg->marked |= is_marked(svg, node);
	if (node)
		svg->kinds[svg->made.frames[n->frame].kind] = true;
}

static uint32_t count_below(const struct svg *svg, uint32_t node)
{
	uint32_t end = call_tree_after(svg->tree, node), n = 0;

	for (uint32_t at = node; at != end || !n; at = call_tree_next(svg->tree, at))
		n++;
	return n;
}

static struct diff_pair self_pair(const struct svg *svg, uint32_t node)
{
	return (struct diff_pair){svg->made.old[node].self, svg->made.nodes[node].self};
}

static void find_largest(struct svg *svg)
{
	for (uint32_t i = 0; svg->made.old && i < svg->made.n_nodes; i++) {
		double difference = fabs(diff_difference(svg->diff, self_pair(svg, i)));

		svg->largest = difference > svg->largest ? difference : svg->largest;
	}
}

static size_t svg_pieces(void *state)
{
	struct svg *svg = state;

	svg->made = call_tree_finish(svg->tree);
	find_largest(svg);
	auto_free double *at = xcalloc(svg->made.n_nodes, sizeof(*at));
	uint32_t node = 0;

	do {
		if (!node || width_of(svg, drawn_weight(svg, node)) >= narrowest) {
			lay_node(svg, node, at);
			node = call_tree_next(svg->tree, node);
			continue;
		}
		at[svg->made.nodes[node].parent] += width_of(svg, drawn_weight(svg, node));
		if (drawn_weight(svg, node))
			svg->left_out_frames += count_below(svg, node);
		svg->left_out_weight += drawn_weight(svg, node);
		node = call_tree_after(svg->tree, node);
	} while (node);
	return 1;
}

/* ---- text ---- */

/* Adds LEN bytes of S, escaped for content and attributes. */
static void add_xml(struct text *text, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case '&':
			text_add_string(text, "&amp;");
			break;
		case '<':
			text_add_string(text, "&lt;");
			break;
		case '>':
			text_add_string(text, "&gt;");
			break;
		case '"':
			text_add_string(text, "&quot;");
			break;
		default:
			text_add_char(text, s[i]);
		}
	}
}

static void add_share(const struct svg *svg, struct text *text, uint64_t weight)
{
	uint64_t all = drawn_weight(svg, 0);

	text_printf(text, "%.2f %%", all ? 100 * ((double)weight / (double)all) : 0.0);
}

/*
 * Adds as much of S as fits into WIDTH pixels. Characters that are not ASCII count as two letters.
 */
static void add_fitting(struct text *text, const char *s, double width)
{
	double letter = LETTER_TENTHS / 10.0, left = (width - 6) / letter;
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
		add_xml(text, s, len);
	} else if (fits) {
		add_xml(text, s, fits);
		text_add_string(text, "..");
	}
}

/* Adds "weight (value.delta) 12". */
static void add_all(const struct svg *svg, struct text *text)
{
	const char *name = svg->made.weight_name;

	text_printf(text, *name ? "weight (%s) %" PRIu64 : "weight%s %" PRIu64, name,
		drawn_weight(svg, 0));
}

static double top_of(const struct svg *svg, const struct call_node *node)
{
	return HEAD + (double)(svg->depth - node->depth) * ROW;
}

/* ---- frames ---- */

static const char *color_of(const struct call_frame *frame, const char *name)
{
	/* by kind: three shades, and the last one for inlined frames */
	static const char *const colors[CALL_KIND_COUNT][4] = {
		[CALL_GROUP] = {"#d8d4c4", "#d2cebc", "#dedaca", "#e6e3d6"},
		[CALL_USER] = {"#f2a65e", "#ee9c4c", "#f4b070", "#f9d3ae"},
		[CALL_JIT] = {"#9fd07c", "#93c96e", "#abd68b", "#cfe8be"},
		[CALL_KERNEL] = {"#7fb2e0", "#72a9da", "#8dbbe4", "#bfd9f0"},
		[CALL_BPF] = {"#c39be6", "#bb90e0", "#cba6ea", "#e1cdf4"},
		[CALL_UNNAMED] = {"#bdbdbd", "#b4b4b4", "#c6c6c6", "#dadada"},
		[CALL_LOST] = {"#ee8585", "#e97777", "#f29494", "#f7c2c2"},
	};
	unsigned int sum = 0;

	for (const char *s = name; *s; s++)
		sum = sum * 31 + (unsigned char)*s;
	return colors[frame->kind][frame->inlined ? 3 : (sum >> 8) % 3];
}

/* Adds red for more self weight than in OLD, blue for less, like flamegraph.pl. */
static void add_difference_color(const struct svg *svg, struct text *text, uint32_t node)
{
	double difference = diff_difference(svg->diff, self_pair(svg, node));
	int pale = svg->largest > 0 ? (int)(210 * (1 - fabs(difference) / svg->largest)) : 0;

	if (difference > 0)
		text_printf(text, "#ff%02x%02x", pale, pale);
	else if (difference < 0)
		text_printf(text, "#%02x%02xff", pale, pale);
	else
		text_add_string(text, "#ececea");
}

static void add_marks(const struct svg *svg, struct text *text, uint32_t node)
{
	size_t i = sorted_count(svg->made.marks, svg->made.n_marks, .node < node);

	for (; i < svg->made.n_marks && svg->made.marks[i].node == node; i++) {
		text_add_char(text, '\n');
		call_mark_add(text, svg->made.marks[i].mark);
		text_add_string(text, ": ");
		add_share(svg, text, svg->made.marks[i].weight);
	}
}

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
static void add_title(const struct svg *svg, struct text *text, uint32_t number)
{
	const struct call_node *node = &svg->made.nodes[number];
	const struct call_frame *frame = &svg->made.frames[node->frame];

	text_printf(text, "%s", call_kind_text(frame->kind));
	if (frame->inlined)
		text_add_string(text, ", inlined");
	if (frame->doubtful)
		text_add_string(text, ", doubtful");
	if (frame->object)
		text_printf(text, ", %s", svg->made.strings[frame->object]);
	if (node->file)
		text_printf(text, ", %s", svg->made.strings[node->file]);
	if (node->line)
		text_printf(text, ":%" PRIu32, node->line);
	if (node->last_line > node->line)
		text_printf(text, "-%" PRIu32, node->last_line);
	if (svg->made.old) {
		add_pair(svg, text, "\nweight",
			(struct diff_pair){svg->made.old[number].total, node->total});
		add_pair(svg, text, "\nself", self_pair(svg, number));
	} else {
		text_printf(text, "\nweight %" PRIu64 ", ", node->total);
		add_share(svg, text, node->total);
		text_printf(text, ", self %" PRIu64, node->self);
	}
	if (frame->reason)
		text_printf(text, "\n%s", svg->made.strings[frame->reason]);
	add_marks(svg, text, number);
}

static void add_rectangle(
	struct text *text, double x, double y, double width, double height, const char *color)
{
	text_printf(text,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y,
		width, height, color);
}

static void add_label(
	const struct svg *svg, struct text *text, const struct box *box, const char *name)
{
	size_t start = text->len;

	text_printf(text, "<text x=\"%.1f\" y=\"%.1f\">", box->x + 3,
		top_of(svg, &svg->made.nodes[box->node]) + ROW - 5);
	size_t inside = text->len;
	add_fitting(text, name, box->width);
	if (text->len > inside) {
		text_add_string(text, "</text>");
	} else {
		text->len = start;
		text->data[start] = '\0';
	}
}

static void add_box(const struct svg *svg, struct text *text, const struct box *box)
{
	auto_text struct text title = {}, color = {};
	const struct call_node *node = &svg->made.nodes[box->node];
	const struct call_frame *frame = &svg->made.frames[node->frame];
	const char *name = box->node ? svg->made.strings[frame->name] : "all";
	double y = top_of(svg, node), gap = box->width > 3 ? 0.6 : 0;

	if (box->node)
		add_title(svg, &title, box->node);
	else if (svg->made.old)
		add_pair(svg, &title, "weight",
			(struct diff_pair){svg->made.old[0].total, svg->made.nodes[0].total});
	else
		add_all(svg, &title);
	if (svg->made.old && box->node)
		add_difference_color(svg, &color, box->node);
	else
		text_add_string(&color, box->node ? color_of(frame, name) : "#cfcfc8");
	text_add_string(text, "<g><title>");
	add_xml(text, name, strlen(name));
	text_add_char(text, '\n');
	add_xml(text, title.data, title.len);
	text_add_string(text, "</title>");
	add_rectangle(text, box->x, y, box->width - gap, ROW - 1, color.data);
	if (is_marked(svg, box->node) && !(svg->made.old && svg->diff->old_widths))
		add_rectangle(text, box->x, y + ROW - 4,
			(box->width - gap) * marked_share(svg, box->node), 3, "#c00000");
	add_label(svg, text, box, name);
	text_add_string(text, "</g>\n");
}

/* ---- page ----------------------------------------------------------------------------------- */

static void add_line(struct text *text, double x, double y, const char *attributes, const char *s)
{
	text_printf(text, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	add_xml(text, s, strlen(s));
	text_add_string(text, "</text>\n");
}

static void add_compared(const struct svg *svg, struct text *text)
{
	const struct diff *diff = svg->diff;
	for (int side = 0; side < DIFF_SIDES; side++) {
		text_printf_escaped(text, "%s: %s, weight %" PRIu64,
			side == DIFF_OLD ? "old" : ", new", diff->files[side],
			diff->traces->sides[side].sum.weight);
	}
	text_printf(text, "; %s, widths are those of %s",
		diff->normalized ? "normalized" : "absolute", diff->old_widths ? "old" : "new");
}

static void add_head(const struct svg *svg, struct text *text)
{
	auto_text struct text line = {};
	unsigned int height = HEAD + (svg->depth + 1) * ROW + FOOT;

	text_printf(text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" font-family=\"DejaVu Sans Mono, Consolas, Menlo, monospace\" "
		"font-size=\"%d\" fill=\"#161616\">\n",
		WIDTH, height, WIDTH, height, FONT);
	add_rectangle(text, 0, 0, WIDTH, height, "#ffffff");
	text_add_char(text, '\n');
	add_line(text, MARGIN, 20, " font-size=\"16\" font-weight=\"bold\"",
		svg->made.old ? "Differential flame graph" : "Flame graph");
	if (svg->made.old)
		add_compared(svg, &line);
	else
		add_all(svg, &line);
	add_line(text, MARGIN, 37, "", line.data);
}

static void add_kinds(const struct svg *svg, struct text *text, double y)
{
	double x = MARGIN;

	for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
		const struct call_frame frame = {.kind = (uint8_t)kind};
		const char *name = call_kind_text((enum call_kind)kind);

		if (!svg->kinds[kind])
			continue;
		add_rectangle(text, x, y - 10, 11, 11, color_of(&frame, ""));
		add_line(text, x + 16, y, "", name);
		x += 40 + (double)strlen(name) * LETTER_TENTHS / 10;
	}
	add_line(text, x, y, "",
		svg->marked ? "paler: inlined; red edge: callers missing, or stacks cut"
			    : "paler: inlined");
}

/* Adds the legend, and what is left out. */
static void add_foot(const struct svg *svg, struct text *text)
{
	auto_text struct text line = {};
	double y = HEAD + (double)(svg->depth + 1) * ROW + 20;

	if (svg->made.old)
		add_line(text, MARGIN, y, "",
			"red: more self weight than in the old dump, blue: less");
	else
		add_kinds(svg, text, y);
	if (!svg->left_out_frames)
		return;
	text_printf(&line, "%" PRIu64 " narrow frame%s not drawn: ", svg->left_out_frames,
		svg->left_out_frames == 1 ? " is" : "s are");
	add_share(svg, &line, svg->left_out_weight);
	text_add_string(&line, " of the weight is theirs");
	add_line(text, MARGIN, y + 20, "", line.data);
}

static void svg_piece(const void *state, size_t i, struct text *text)
{
	const struct svg *svg = state;

	(void)i;
	add_head(svg, text);
	vec_each(box, &svg->boxes)
		add_box(svg, text, box);
	add_foot(svg, text);
	text_add_string(text, "</svg>\n");
}

const struct format svg_format = {svg_create, svg_destroy, svg_trace, svg_pieces, svg_piece};
